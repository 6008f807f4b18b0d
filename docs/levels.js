"use strict";

/* The drawings and tables of levels.html. The state is in the part of the address after #, for example
   #level=1&within=3h&place=200m&promise=within&mechanism=purkayastha&at=08:15; the numbers that the page
   shows are also in the element "numbers", unrounded. */

(() => {
  const { PI, cos, sin, log10, max, min, round } = Math;
  const LEVELS = [0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 8,
    10, 12, 15, 20];
  const MINUTES = [15, 20, 30, 45, 60, 75, 90, 105, 120, 150, 180, 210, 240, 300, 360, 420, 480, 540, 600, 660, 720];
  const METRES = [20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000];
  const START = { level: 1, minutes: 180, metres: 200, promise: "within", at: 495 };
  const RELEASED = { within: "purkayastha", pure: "cap" }; // what a release draws unless another mechanism is named
  const MOST_PEOPLE = 1e8; // right end of the scale
  const WIDTHS = [8, 5, 2.5]; // of the arcs of 50, 68 and 95 %
  const LEAST_PEOPLE = 10; // fewer are too few for a law of large numbers

  const get = (id) => document.getElementById(id);
  const inputs = { level: get("level"), within: get("within"), place: get("place"), at: get("at") };
  const radios = (name) => [...document.querySelectorAll(`input[name=${name}]`)];
  let state = START;

  // ---------------------------------------------------------------- words

  const glued = (words) => words.replaceAll(" ", "\u00a0"); // a number stays with its unit
  function duration(minutes) {
    if (minutes * 60 < 59.5) return glued(`${Number((minutes * 60).toPrecision(3))} s`);
    const whole = round(minutes), hours = Math.floor(whole / 60), rest = whole % 60;
    return glued([hours ? `${hours} h` : "", rest || !hours ? `${rest} min` : ""].filter(Boolean).join(" "));
  }
  function clockTime(minutes) {
    const whole = ((round(minutes) % 1440) + 1440) % 1440;
    return `${String(Math.floor(whole / 60)).padStart(2, "0")}:${String(whole % 60).padStart(2, "0")}`;
  }
  function metresText(metres) {
    const figures = (number) => Number(number.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 10 });
    return glued(metres < 999.5 ? `${figures(metres)} m` : `${figures(metres / 1000)} km`);
  }
  function upwards(value) { // to three digits, never below; errors of doubles do not count
    const unit = 10 ** (Math.floor(log10(value)) - 2);
    return Number((Math.ceil(value * (1 - 1e-12) / unit) * unit).toPrecision(3));
  }
  function likelier(loss) {
    if (loss > 16) return `e^${upwards(loss)} times`;
    const ratio = Math.exp(loss);
    if (ratio > 999) return `${Math.ceil(ratio * (1 - 1e-12)).toLocaleString("en")} times`;
    return `${ratio > 9.99 ? upwards(ratio) : upwards(ratio).toFixed(2)} times`;
  }
  function believed(loss) {
    const rest = 100 * Distributions.belief(-loss);
    if (rest < 1e-4) return "nearly certain";
    const digits = rest >= 10 ? 0 : min(1 - Math.floor(log10(rest)), 4);
    const least = Math.floor(rest * 10 ** digits * (1 + 1e-12)) / 10 ** digits;
    return `${(100 - least).toFixed(digits)}:${least.toFixed(digits)}`;
  }
  function peopleText(count) {
    if (count < LEAST_PEOPLE) return "fewer than 10";
    const whole = Math.ceil(count);
    return whole < 1e6 ? whole.toLocaleString("en") : `${Number((whole / 1e6).toPrecision(3))} million`;
  }
  const inMinutes = (angle) => angle * Distributions.HALF_DAY / PI;
  const percent = (share) => `${round(100 * share)} %`;
  const nameOf = (row) => row.label + (row.calibration && !row.bothAgree ? `, ${row.calibration}` : "");

  // ---------------------------------------------------------------- the address

  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const number = (name, units, low, high, other) => {
      const found = /^(\d+(?:\.\d*)?|\.\d+)([a-z]*)$/.exec(given.get(name) || "");
      const value = found && found[2] in units ? Number(found[1]) * units[found[2]] : NaN;
      return value >= 0 ? min(max(value, low), high) : other;
    };
    const time = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(given.get("at") || "");
    const mechanism = given.get("mechanism"), promise = given.get("promise") === "pure" ? "pure" : START.promise;
    return {
      level: number("level", { "": 1 }, 0.1, 20, START.level),
      minutes: number("within", { h: 60, min: 1 }, 15, 720, START.minutes),
      metres: number("place", { m: 1, km: 1000 }, 20, 5000, START.metres),
      promise,
      mechanism: Distributions.MECHANISMS.some(({ id }) => id === mechanism) ? mechanism : RELEASED[promise],
      at: time ? 60 * Number(time[1]) + Number(time[2]) : START.at,
    };
  }
  const short = (minutes) => (minutes % 60 ? `${minutes}min` : `${minutes / 60}h`);
  function writeAddress() {
    const parts = [`level=${state.level}`, `within=${short(state.minutes)}`, `place=${state.metres}m`,
      `promise=${state.promise}`, `mechanism=${state.mechanism}`, `at=${clockTime(state.at)}`];
    history.replaceState(null, "", `#${parts.join("&")}`);
  }

  // ---------------------------------------------------------------- elements

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    return filled(made, attributes, children);
  }
  function svg(name, attributes = {}, ...children) {
    return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
  }
  function filled(made, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }
  function showRows(table, rows) {
    table.tBodies[0].replaceChildren(...rows.map(([first, ...others]) =>
      element("tr", {}, element("th", { scope: "row" }, ...[first].flat()), ...others.map((text) => element("td", {}, text)))));
  }
  const text = (x, y, content, attributes = {}) =>
    svg("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central", ...attributes }, content);
  // a jump takes two points of a curve
  const bothSides = (angles = []) => angles.map(inMinutes).flatMap((minutes) => [minutes, minutes + 1e-6]);
  const colour = (row) => `var(--${row.id.split("-")[0]})`;

  // ---------------------------------------------------------------- the clock

  const point = (minutes, radius) => {
    const turn = 2 * PI * minutes / 1440; // clockwise from the top
    return [radius * sin(turn), -radius * cos(turn)].map((value) => value.toFixed(3));
  };
  function arc(from, to, radius) {
    return `M ${point(from, radius)} A ${radius} ${radius} 0 ${to - from > 720 ? 1 : 0} 1 ${point(to, radius)}`;
  }

  function drawClock(row) {
    const RING = 84, HIGHEST = 44, peak = row.distribution.density(0);
    const height = (offset) => RING + HIGHEST * row.distribution.density(PI * Math.abs(offset) / Distributions.HALF_DAY) / peak;
    // finer near the peak
    const away = [...Array.from({ length: 241 }, (_, i) => 720 * (i / 240) ** 3), ...bothSides(row.distribution.jumps)].sort((a, b) => a - b);
    const offsets = [...away.map((a) => -a).reverse(), ...away];
    const ring = [360, 720, 1080, 1440].map((to) => `A ${RING} ${RING} 0 0 1 ${point(to, RING)}`).join(" ");
    const outline = offsets.map((offset) => point(state.at + offset, height(offset))).join(" L ");
    const parts = [
      svg("path", { d: `M ${outline} Z M ${point(0, RING)} ${ring} Z`, "fill-rule": "evenodd",
        fill: colour(row), "fill-opacity": 0.55, stroke: colour(row), "stroke-width": 1 }),
      svg("circle", { r: RING, class: "axis" }),
      svg("circle", { r: RING + HIGHEST / (2 * PI * peak), class: "dashed", "stroke-opacity": 0.6 }),
    ];
    for (let hour = 0; hour < 24; hour++) {
      const [[x1, y1], [x2, y2]] = [point(60 * hour, RING), point(60 * hour, RING - (hour % 3 ? 2.5 : 5))];
      parts.push(svg("line", { x1, y1, x2, y2, class: "axis" }));
      if (hour % 3 === 0) parts.push(text(...point(60 * hour, 140), String(hour).padStart(2, "0")));
    }
    Distributions.SHARES.forEach((share, i) => {
      const half = inMinutes(row.quantiles[i]);
      parts.push(svg("path", { d: arc(state.at - half, state.at + half, 46 + 12 * i), fill: "none", stroke: colour(row),
        "stroke-width": WIDTHS[i], "data-share": share, "data-half": half }));
    });
    const [[x1, y1], [x2, y2]] = [point(state.at, 38), point(state.at, RING + HIGHEST + 3)];
    parts.push(svg("line", { x1, y1, x2, y2, class: "axis", stroke: "var(--ink)" }));
    parts.push(text(0, 0, clockTime(state.at), { class: "big" }));
    get("clock").replaceChildren(...parts);

    const ends = row.quantiles.map((angle) => {
      const half = inMinutes(angle);
      return [clockTime(state.at - half), clockTime(state.at + half), duration(half)];
    });
    get("clock-text").textContent = `The curve around the dial is the density of the report (${nameOf(row)}), scaled to the ` +
      "same peak. The dashed circle is an even spread, which reveals nothing. The arcs hold 50, 68 and 95 % of the reports.";
    const key = (i) => svg("svg", { class: "arc", width: 28, height: 12, "aria-hidden": "true" },
      svg("line", { x1: 0, x2: 22, y1: 6, y2: 6, stroke: colour(row), "stroke-width": WIDTHS[i] }));
    showRows(get("arcs"), Distributions.SHARES.map((share, i) => [[key(i), percent(share)], `${ends[i][0]} – ${ends[i][1]}`, ends[i][2]]));
    return ends;
  }

  // ---------------------------------------------------------------- the plane

  function niceAbove(length) {
    const power = 10 ** Math.floor(log10(length));
    return power * [1, 2, 3, 5, 10].find((digit) => digit * power >= length * (1 - 1e-12));
  }

  function drawPlane(place) {
    const EDGE = 140, far = place.quantiles[2], step = niceAbove(far * 1.08 / 5), scale = EDGE / (5 * step);
    const parts = [];
    for (let line = -5; line <= 5; line++) {
      const at = line * EDGE / 5;
      parts.push(svg("path", { d: `M ${at} ${-EDGE} V ${EDGE} M ${-EDGE} ${at} H ${EDGE}`, class: "grid" }));
    }
    const dots = svg("g", { class: "dots" });
    for (let i = 0; i < 100; i++) {
      const distance = scale * place.quantile((i + 0.5) / 100), bearing = i * PI * (3 - Math.sqrt(5));
      if (distance < EDGE - 2) dots.append(svg("circle", { r: 1.6, cx: distance * cos(bearing), cy: distance * sin(bearing) }));
    }
    parts.push(dots);
    Distributions.SHARES.forEach((share, i) => {
      const r = scale * place.quantiles[i];
      parts.push(svg("circle", { r, fill: "var(--place)", "fill-opacity": 0.1, stroke: "var(--place)", "stroke-width": 1.6,
        "data-share": share, "data-metres": place.quantiles[i] }));
    });
    parts.push(svg("circle", { r: scale * state.metres, class: "dashed" }));
    Distributions.SHARES.forEach((share, i) => {
      const r = scale * place.quantiles[i], bearing = PI * (1 / 2 + 2 * i / 3); // apart, as circles may be small
      parts.push(text(r * cos(bearing), -r * sin(bearing), percent(share), { class: "small halo", style: "fill: var(--ink)" }));
    });
    parts.push(svg("path", { d: "M -5 0 H 5 M 0 -5 V 5", class: "axis", stroke: "var(--ink)", "stroke-width": 2, style: "stroke: var(--ink)" }));
    const left = -EDGE + 8, base = EDGE - 10, bar = 2 * step * scale;
    parts.push(svg("path", { d: `M ${left} ${base - 4} V ${base} H ${left + bar} V ${base - 4}`, fill: "none",
      stroke: "var(--ink)", "stroke-width": 1.5 }));
    parts.push(text(left + bar / 2, base - 10, metresText(2 * step), { class: "halo" }));
    get("plane").replaceChildren(...parts);
    get("plane-text").textContent = `The cross is the true place. The circles hold 50, 68 and 95 % of the reports, the dots are 100 ` +
      `reports as far as they fit, and the dashed circle ` +
      `${scale * state.metres < EDGE ? "" : "(here outside the picture) "}is the radius of ${metresText(state.metres)}. One square is ${metresText(step)} wide. ` +
      `Planar Laplace noise${state.promise === "pure" ? "; a pure level of places does not exist" : ""}.`;
    showRows(get("circles"), [
      ...Distributions.SHARES.map((share, i) => [percent(share), metresText(place.quantiles[i])]),
      ["mean distance", metresText(place.meanRadius)],
      [`a mean place to ${metresText(state.metres / 10)} needs`, `${peopleText(place.people)} people`],
      [`two places ${metresText(state.metres)} apart: 50:50 becomes at most`, believed(place.loss(state.metres))],
    ]);
  }

  // ---------------------------------------------------------------- beliefs

  function drawBelief(row) {
    const [LEFT, RIGHT, TOP, BASE] = [40, 284, 16, 258];
    const x = (minutes) => LEFT + (RIGHT - LEFT) * minutes / 720;
    const y = (loss) => BASE - (BASE - TOP) * (2 * Distributions.belief(loss) - 1);
    const loss = (minutes) => row.distribution.loss(PI * minutes / Distributions.HALF_DAY);
    const parts = [];
    for (const share of [50, 60, 70, 80, 90, 100]) {
      const at = BASE - (BASE - TOP) * (share - 50) / 50;
      parts.push(svg("path", { d: `M ${LEFT} ${at} H ${RIGHT}`, class: "grid" }));
      parts.push(text(LEFT - 5, at, `${share} %`, { "text-anchor": "end" }));
    }
    for (const hours of [0, 3, 6, 9, 12]) {
      parts.push(svg("path", { d: `M ${x(60 * hours)} ${BASE} v 4`, class: "axis" }));
      parts.push(text(x(60 * hours), BASE + 13, `${hours} h`));
    }
    parts.push(text((LEFT + RIGHT) / 2, BASE + 31, "distance of two possible times"));
    parts.push(svg("path", { d: `M ${LEFT} ${BASE} H ${RIGHT}`, class: "axis" }));
    const apart = [...Array.from({ length: 241 }, (_, i) => 720 * (i / 240) ** 2), ...bothSides(row.distribution.leaps)].sort((a, b) => a - b);
    const curve = apart.map((m) => `${x(m).toFixed(2)} ${y(loss(m)).toFixed(2)}`).join(" L ");
    parts.push(svg("path", { d: `M ${x(state.minutes)} ${TOP} V ${BASE}`, class: "dashed", "stroke-opacity": 0.6 }));
    parts.push(svg("path", { d: `M ${curve}`, fill: "none", stroke: colour(row), "stroke-width": 2.5 }));
    const found = loss(state.minutes), label = believed(found), right = state.minutes > 500;
    const under = y(found) + (Distributions.belief(found) > 0.6 ? 15 : -18); // beside the curve, above the axis
    parts.push(svg("circle", { cx: x(state.minutes), cy: y(found), r: 4.5, fill: colour(row), stroke: "var(--card)" }));
    parts.push(text(x(state.minutes) + (right ? -9 : 9), under, label,
      { "text-anchor": right ? "end" : "start", class: "halo", style: "font-weight: 600" }));
    get("belief").replaceChildren(...parts);
    get("belief-text").textContent = "At first, an observer assigns 50:50 to two possible times of a person. Then the observer sees one report. " +
      `The curve is the largest possible probability of one of the times after this (${nameOf(row)}). The dashed line is the radius.`;
    const distances = [...new Set([state.minutes, 60, 2 * state.minutes, 720])].filter((m) => m <= 720).sort((a, b) => a - b);
    showRows(get("beliefs"), distances.map((m) => [duration(m), likelier(loss(m)), believed(loss(m))]));
  }

  // ---------------------------------------------------------------- people

  function scale(children) {
    return svg("svg", { width: "100%", "aria-hidden": "true" }, ...children);
  }
  const along = (count) => `${(4 + 92 * min(max(log10(count), 0), 8) / log10(MOST_PEOPLE)).toFixed(3)}%`;
  const TICKS = [[1, "1"], [100, "100"], [1e4, "10,000"], [1e6, "1 million"], [1e8, ""]];

  function drawScale(table) {
    table.querySelector("thead .scale").replaceChildren(scale(TICKS.map(([count, label]) =>
      svg("text", { x: along(count), y: 13, "text-anchor": "middle" }, label))));
  }
  function bar(row) {
    return scale([
      ...TICKS.map(([count]) => svg("line", { x1: along(count), x2: along(count), y1: "0", y2: "100%", class: "grid" })),
      svg("line", { x1: along(1), x2: along(row.people), y1: "50%", y2: "50%", stroke: colour(row), "stroke-width": 3 }),
      svg("circle", { cx: along(row.people), cy: "50%", r: 6, fill: row.calibration === "published" ? "var(--card)" : colour(row),
        stroke: colour(row), "stroke-width": 3 })]);
  }
  const swatch = (row) => element("span", { class: "key", style: `background: ${colour(row)}` });

  function drawPeople(rows, chosen) {
    const names = { within: `The level is ${state.level} within ${duration(state.minutes)}, and in proportion at other distances. The staircase ` +
      `has steps instead: two very close times may use the whole level, and once more for each further ${duration(state.minutes)}.`,
      pure: `The level is ${state.level} between any two times.` };
    get("people-text").textContent = `${names[state.promise]} The mechanisms differ in how much noise they need for it.`;
    get("spent").textContent = `level used at ${duration(state.minutes)}`;
    drawScale(get("mechanisms"));
    const focused = document.activeElement && document.activeElement.name === "mechanism";
    get("mechanisms").tBodies[0].replaceChildren(...rows.map((row) => {
      const radio = element("input", { type: "radio", name: "mechanism", value: row.id });
      radio.checked = row === chosen;
      const calibration = row.bothAgree && row.calibration ? "both calibrations" : row.calibration || "";
      const label = element("label", {}, radio, swatch(row), row.label,
        element("span", { class: "calibration" }, calibration ? ` (${calibration})` : ""));
      const cells = [duration(inMinutes(row.quantiles[0])), duration(inMinutes(row.distribution.meanAngle)), String(Number(row.lossAtRadius.toPrecision(3)))];
      const titles = ["half of the reports within", "mean distance", `level used at ${duration(state.minutes)}`];
      return element("tr", row === chosen ? { "aria-current": "true" } : {},
        element("th", { scope: "row" }, label),
        element("td", { class: "people" }, peopleText(row.people)), element("td", { class: "scale" }, bar(row)),
        ...cells.map((cell, i) => element("td", { "data-label": titles[i] }, cell)));
    }));
    if (focused) radios("mechanism").find((radio) => radio.checked).focus();
  }

  const TRUSTED = {
    cap: ["every report: the cap", "nobody"],
    gaussian_sum: ["once, to the sum: normal noise", "the data owner"],
    vector_laplace: ["once, to the sum: Laplace noise", "the data owner"],
  };

  function drawTrust(rows) {
    drawScale(get("trust"));
    get("trust").tBodies[0].replaceChildren(...rows.map((row) => {
      const [noise, trusted] = TRUSTED[row.id];
      return element("tr", {}, element("th", { scope: "row" }, swatch(row), noise), element("td", { class: "people" }, peopleText(row.people)),
        element("td", { class: "scale" }, bar(row)), element("td", { "data-label": "true times are seen by" }, trusted));
    }));
    document.querySelectorAll("span.level").forEach((span) => { span.textContent = state.level; });
    get("plan").textContent = `dirpriv plan mean --epsilon ${state.level} --error 20min --all`;
  }

  // ---------------------------------------------------------------- all of it

  function nearest(values, value) {
    return values.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(values[best] - value) ? i : best), 0);
  }

  function showControls() {
    inputs.level.value = nearest(LEVELS, state.level);
    inputs.within.value = nearest(MINUTES, state.minutes);
    inputs.place.value = nearest(METRES, state.metres);
    if (inputs.at.value !== clockTime(state.at)) inputs.at.value = clockTime(state.at);
    radios("promise").forEach((radio) => { radio.checked = radio.value === state.promise; });
    const shown = { level: String(state.level), within: duration(state.minutes), place: metresText(state.metres) };
    for (const [name, value] of Object.entries(shown)) {
      get(`${name}-value`).textContent = value;
      inputs[name].setAttribute("aria-valuetext", value);
    }
  }

  /* What releases the mechanism that is drawn. */
  function commandsOf() {
    const within = state.promise === "pure" ? "12h" : short(state.minutes); // no two times are farther apart
    return `dirpriv explain --level ${state.level} --within ${within} --at ${clockTime(state.at)}\n` +
      `dirpriv release arrivals.csv private.csv --time arrival --level ${state.level} --within ${within}\n` +
      `dirpriv release visits.csv private_places.csv --latitude lat --longitude lon --level ${state.level} ` +
      `--within ${state.metres}m --region-centre 40.75,-73.98 --region-reach 30km --cell-size ${state.metres / 20}m`;
  }
  function pythonOf(row) {
    const imported = "from dirpriv.release import CircleRelease\n";
    if (row.id === "cap") return `${imported}release = CircleRelease.pure(${state.level})`;
    const [id, calibration] = row.id.split("-"), name = { von_mises_fisher: "VonMisesFisher", wrapped_laplace: "WrappedLaplace",
      staircase: "Staircase", cardioid: "Cardioid" }[id] + "Mechanism";
    const level = state.promise === "pure" ? `pure(${state.level}` : `within(${state.level}, "${short(state.minutes)}"`;
    return `from dirpriv.mechanisms import ${name}\n${imported}` +
      `release = CircleRelease.from_mechanism(${name}.${level}${calibration ? `, calibration="${calibration}"` : ""}))`;
  }

  function show() {
    const rows = Distributions.onClock(state.level, state.minutes, state.promise), place = Distributions.inPlane(state.level, state.metres);
    const trust = Distributions.byTrust(state.level);
    const chosen = rows.find((row) => row.id === state.mechanism) ||
      rows.find((row) => state.mechanism.startsWith(row.id)) || rows.find((row) => row.id === RELEASED[state.promise]);
    showControls();
    const [half] = drawClock(chosen);
    drawPlane(place);
    drawBelief(chosen);
    drawPeople(rows, chosen);
    drawTrust(trust);
    const loss = chosen.lossAtRadius;
    get("summary").textContent =
      `Level ${state.level} ${state.promise === "pure" ? "at any distance" : `within ${duration(state.minutes)}`}, ${nameOf(chosen)}: half of the ` +
      `reports of ${clockTime(state.at)} land between ${half[0]} and ${half[1]}. A belief of 50:50 in two times ${duration(state.minutes)} apart ` +
      `${believed(loss).replace(/^(?=\d)/, "becomes at most ").replace(/^(?=as)/, "can become ")}. A mean to 20 minutes takes ${peopleText(chosen.people)} people. Half of the reports of a place ` +
      `land within ${metresText(place.quantiles[0])} of it.`;
    const python = chosen.id !== "purkayastha";
    get("how-text").textContent = python
      ? `In Python, this releases times with the noise that is drawn above (${nameOf(chosen)}):`
      : "These commands release times and places with the noise that is drawn above. dirpriv explain prints the same numbers:";
    get("command").textContent = python ? pythonOf(chosen) : commandsOf();
    const { kappa, quantiles, meanRadius, people } = place;
    get("numbers").textContent = JSON.stringify({
      ...state, drawn: chosen.id, trust, place: { kappa, quantiles, meanRadius, people, loss: place.loss(state.metres) },
      mechanisms: rows.map((row) => ({ id: row.id, kappa: row.distribution.kappa, quantiles: row.quantiles,
        meanAngle: row.distribution.meanAngle, people: row.people, lossAtRadius: row.lossAtRadius, belief: Distributions.belief(row.lossAtRadius) })),
    });
  }

  function change(part) {
    state = { ...state, ...part };
    show();
  }

  inputs.level.max = LEVELS.length - 1;
  inputs.within.max = MINUTES.length - 1;
  inputs.place.max = METRES.length - 1;
  inputs.level.addEventListener("input", () => change({ level: LEVELS[inputs.level.value] }));
  inputs.within.addEventListener("input", () => change({ minutes: MINUTES[inputs.within.value] }));
  inputs.place.addEventListener("input", () => change({ metres: METRES[inputs.place.value] }));
  inputs.at.addEventListener("input", () => {
    const [hours, minutes] = inputs.at.value.split(":").map(Number);
    if (inputs.at.validity.valid) change({ at: 60 * hours + minutes });
  });
  document.addEventListener("change", (event) => {
    if (event.target.name === "promise") change({ promise: event.target.value, mechanism: RELEASED[event.target.value] });
    if (event.target.name === "mechanism") change({ mechanism: event.target.value });
    writeAddress();
  });
  get("controls").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => { state = readAddress(); show(); });
  state = readAddress();
  show();
  writeAddress();
})();
