"""The page of the claims as HTML: one file, no address in it is asked for, it works without scripts too."""

import html
from string import Template

from study.claims.verdicts import AS_EXPECTED, VERDICTS
from study.claims.words import interval

SIGNS = dict(zip(VERDICTS, "✓≠✗?", strict=True))
"""A sign beside each verdict, so that it is not told by colour alone."""

MEANINGS = {
    "reproduced": "every row that the claim is about fulfils it, with its interval, and no cell of its grid "
    "is missing.",
    "not reproduced": "an interval lies outside what is accepted; the claim is the result of an experiment, "
    "which ours did not find, or its counter-example is less than certain.",
    "refuted": "the claim is a statement (a theorem, a formula, a sentence meant always to hold), and a row "
    "of our results is a counter-example, computed without chance or beyond any reasonable doubt.",
    "undecidable": "the sources leave open what is needed, cells are missing in this run's grid, or an "
    "interval crosses the border of what is accepted.",
}

STYLE = """
:root { color-scheme: light; --line: #d5d5d5; --soft: #f4f4f4; }
* { box-sizing: border-box; }
body { font: 15px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; margin: 0 auto; max-width: 78rem;
  padding: 1rem; color: #1c1c1c; background: #fff; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0 .7rem; max-width: 60rem; }
form { display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: end; padding: .7rem;
  background: var(--soft); border: 1px solid var(--line); margin: 1rem 0 .5rem; }
form[hidden] { display: none; }
label { display: grid; font-size: .85rem; gap: .15rem; }
select, input { font: inherit; padding: .25rem .4rem; min-width: 11rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .55rem; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid #888; font-size: .85rem; }
tbody th { font-weight: normal; min-width: 17rem; }
button.open { font: inherit; text-align: left; background: none; border: 0; padding: 0; color: #003f87;
  text-decoration: underline; cursor: pointer; }
button.open::before { content: "▸ "; } button.open[aria-expanded=true]::before { content: "▾ "; }
:focus-visible { outline: 3px solid #e69f00; outline-offset: 2px; }
.verdict { white-space: nowrap; font-weight: 600; padding: .05rem .45rem; border-radius: .6rem;
  border: 1px solid; }
.v-reproduced { color: #00507f; background: #e3f1fb; }
.v-not-reproduced { color: #7a4a00; background: #fdf1dc; }
.v-refuted { color: #962d00; background: #fde8df; } .v-undecidable { color: #444; background: #eee; }
.changed { color: #962d00; font-weight: 600; display: block; margin-top: .2rem; }
.number { font-variant-numeric: tabular-nums; }
tr.more > td { background: var(--soft); padding: .8rem 1rem 1.2rem; }
.more dl, .meanings { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem;
  margin: 0 0 .8rem; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
code { font: .9em ui-monospace, "DejaVu Sans Mono", monospace; background: #fff; padding: .05rem .3rem;
  border: 1px solid var(--line); }
img { max-width: 100%; height: auto; background: #fff; border: 1px solid var(--line); }
figure { margin: 0 0 2rem; } figcaption { font-size: .85rem; margin-bottom: .3rem; }
@media print { form { display: none; } }
"""

SCRIPT = """
"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const form = byId("filters"), gallery = byId("gallery"), shown = byId("shown");
  const rows = [...document.querySelectorAll("tr.claim")];
  const fields = ["verdict", "source", "text"];

  function expand(row, open) {
    const more = byId("more-" + row.dataset.claim), place = more.querySelector(".picture");
    if (open && !place.firstChild) {
      const image = new Image();
      image.alt = place.dataset.alt;
      image.addEventListener("load", () => { place.dataset.width = image.naturalWidth; });
      image.src = byId("figure-" + place.dataset.figure).querySelector("img").src;
      place.append(image);
    }
    more.hidden = !open || row.hidden;
    row.querySelector("button").setAttribute("aria-expanded", open);
  }

  function filter() {
    const wanted = Object.fromEntries(fields.map(name => [name, form.elements[name].value.trim()]));
    const words = wanted.text.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const more = byId("more-" + row.dataset.claim);
      const all = (row.textContent + " " + more.textContent).toLowerCase();
      row.hidden = !(
        (!wanted.verdict || row.dataset.verdict === wanted.verdict) &&
        (!wanted.source || row.dataset.source === wanted.source) && words.every(word => all.includes(word)));
      more.hidden = row.hidden || row.querySelector("button").getAttribute("aria-expanded") !== "true";
      count += !row.hidden;
    }
    shown.textContent = count + " of " + rows.length + " claims shown";
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
    const row = rows.find(one => one.dataset.claim === parts.get("claim"));
    if (row) { row.hidden = false; expand(row, true); row.scrollIntoView(); }
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
"""

PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>What the papers claim, and what we measured</title>
<style>$style</style>
</head>
<body>
<main>
<h1>What the papers claim, and what we measured</h1>
<p>$summary. Every verdict is computed from the tables of this run; config/claims/ says what is accepted,
and why. A row opens its figure and the command that makes it.</p>
<details><summary>What makes a verdict</summary><dl class="meanings">$meanings</dl>
<p>Where chance is involved, an interval holds for all rows of a claim at once. Where a claim is about many
rows, the value given is that of the row nearest to the border of what is accepted, or furthest beyond
it.</p></details>
<ul>$sources</ul>
<form id="filters" role="search" aria-label="Filter the claims" hidden>
<label>Verdict <select name="verdict"><option value="">all</option>$verdict_options</select></label>
<label>Source <select name="source"><option value="">all</option>$source_options</select></label>
<label>Words <input name="text" type="search" autocomplete="off"></label>
<button type="reset">Show all</button>
<span id="shown" role="status" aria-live="polite"></span>
</form>
<div class="scroll"><table>
<thead><tr><th scope="col">Claim</th><th scope="col">Where</th><th scope="col">Accepted</th>
<th scope="col">Measured</th><th scope="col">Verdict</th></tr></thead>
<tbody>
$rows</tbody>
</table></div>
<section id="gallery"><h2>Figures</h2>
$figures</section>
</main>
<script>$script</script>
</body>
</html>
""")


def page(found, sources, images, summary):
    """The whole page.

    Parameters
    ----------
    found : pandas.DataFrame
        Of :func:`study.claims.words.read_found`.
    sources : dict
        ``sources`` of ``config/claims/``.
    images : dict
        The figures as ``data:`` addresses, by name.
    summary : str
        How many claims have which verdict.

    Returns
    -------
    str
    """
    rows = "".join(_row(row, sources[row.source]["name"]) for row in found.itertuples())
    return PAGE.substitute(
        style=STYLE,
        script=SCRIPT,
        summary=_text(f"{len(found)} claims: {summary}"),
        meanings="".join(f"<dt>{_badge(v)}</dt><dd>{_text(text)}</dd>" for v, text in MEANINGS.items()),
        sources="".join(f"<li>{_text(s['name'])}: {_text(s['title'])}</li>" for s in sources.values()),
        verdict_options="".join(f'<option value="{v}">{v}</option>' for v in VERDICTS),
        source_options="".join(
            f'<option value="{_text(key)}">{_text(s["name"])}</option>' for key, s in sources.items()
        ),
        rows=rows,
        figures="".join(
            f'<figure id="figure-{name}"><figcaption>figures/{name}.png</figcaption>'
            f'<img src="{address}" alt="Figure {name}"></figure>\n'
            for name, address in images.items()
        ),
    )


def _row(row, source):
    name = _text(row.claim)
    figure = row.figure.removeprefix("figures/").removesuffix(".png")
    measured = _text(f"{interval(row)} {row.unit if row.low == row.low else ''}".strip())
    if row.rows > 1:
        measured += f"<br>{row.rows_fulfilling} of {row.rows} rows fulfil it"
    changed = ""
    if row.status != AS_EXPECTED:
        changed = f'<span class="changed">{_text(row.status)}: expected {_text(row.expected_verdict)}</span>'
    facts = {
        "The claim": f"{row.says} ({row.kind})",
        "Quantity": row.quantity,
        "Measured in": f"{row.measured_in}: {row.rows_are}",
        "Deciding row": row.where,
        "Confidence": f"{100.0 * row.confidence:.6g} %" if row.low < row.high else "",
        "Accepted because": row.because,
        "Counter-example": row.counter_example,
        "Not decided because": row.reason,
        "Finding": row.finding,
    }
    facts = "".join(f"<dt>{key}</dt><dd>{_text(text)}</dd>" for key, text in facts.items() if text)
    return (
        f'<tr class="claim" id="{name}" data-claim="{name}" data-verdict="{row.verdict}"'
        f' data-source="{row.source}"><th scope="row"><button class="open" type="button" aria-expanded="true"'
        f' aria-controls="more-{name}">{_text(row.title)}</button></th>'
        f'<td>{_text(source)}<br>{_text(row.place)}</td><td class="number">{_text(row.accepted)}</td>'
        f'<td class="number">{measured}</td><td>{_badge(row.verdict)}{changed}</td></tr>\n'
        f'<tr class="more" id="more-{name}"><td colspan="5"><dl>{facts}'
        f"<dt>Made by</dt><dd><code>{_text(row.command)}</code></dd>"
        f'<dt>Figure</dt><dd><a href="#figure-{figure}">{_text(row.figure)}</a></dd></dl>'
        f'<div class="picture" data-figure="{figure}" data-alt="Figure of: {_text(row.title)}"></div>'
        "</td></tr>\n"
    )


def _badge(verdict):
    kind = verdict.replace(" ", "-")
    return f'<span class="verdict v-{kind}"><span aria-hidden="true">{SIGNS[verdict]}</span> {verdict}</span>'


def _text(text):
    return html.escape(str(text))
