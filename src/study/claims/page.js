"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const form = byId("filters"), gallery = byId("gallery"), shown = byId("shown");
  const rows = [...document.querySelectorAll("tr.claim")];
  const fields = ["verdict", "severity", "source", "text"];

  const addressOf = figure => byId("figure-" + figure).querySelector("img").src; // each is in the page once
  for (const image of document.querySelectorAll("img[data-figure]")) image.src = addressOf(image.dataset.figure);

  function expand(row, open) {
    const more = byId("more-" + row.dataset.claim), place = more.querySelector(".picture");
    if (open && place && !place.firstChild) {
      const image = new Image();
      image.alt = place.dataset.alt;
      image.addEventListener("load", () => { place.dataset.width = image.naturalWidth; });
      image.src = addressOf(place.dataset.figure);
      place.append(image);
    }
    more.hidden = !open || row.hidden;
    row.querySelector("button").setAttribute("aria-expanded", open);
  }

  function filter() {
    const wanted = Object.fromEntries(fields.map(name => [name, form.elements[name].value.trim()]));
    const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const more = byId("more-" + row.dataset.claim);
      const all = (row.textContent + " " + more.textContent).toLowerCase();
      row.hidden = !(
        (!wanted.verdict || row.dataset.verdict === wanted.verdict) &&
        (!wanted.severity || row.dataset.severity === wanted.severity) &&
        (!wanted.source || row.dataset.source === wanted.source) && words.every(word => all.includes(word)));
      more.hidden = row.hidden || row.querySelector("button").getAttribute("aria-expanded") !== "true";
      count += !row.hidden;
    }
    for (const body of document.querySelectorAll(".claims tbody"))
      body.hidden = ![...body.querySelectorAll("tr.claim")].some(row => !row.hidden);
    shown.textContent = count + " of " + rows.length + " verdicts shown";
    document.body.dataset.shown = count;
    return wanted;
  }

  function remember(wanted, claim) {
    const all = Object.entries({...wanted, claim: claim || ""});
    const parts = new URLSearchParams(all.filter(([, text]) => text));
    history.replaceState(null, "", "#" + parts);
  }

  function follow() {
    const parts = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) form.elements[name].value = parts.get(name) || "";
    filter();
    const claim = parts.get("claim") || location.hash.slice(1); // "#name" is the link of a finding
    const row = rows.find(one => one.dataset.claim === claim);
    if (row) { row.hidden = row.parentElement.hidden = false; expand(row, true); row.scrollIntoView(); }
  }

  for (const row of rows) {
    const button = row.querySelector("button");
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") !== "true";
      expand(row, open);
      remember(filter(), open && row.dataset.claim);
    });
    expand(row, false);
  }
  form.addEventListener("input", () => remember(filter()));
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => remember(filter())));
  window.addEventListener("hashchange", follow);
  for (const link of document.querySelectorAll(".more a")) link.replaceWith(link.textContent);
  form.hidden = false;
  gallery.hidden = true;
  follow();
})();
