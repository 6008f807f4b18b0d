// Randomises a time or a place on the device that knows it. The release is a public document, whose format is
// in docs/device_format.md. All of it is checked before the first draw, so its sender need not be believed.

const CIRCLE = "dirpriv.circle/2", PLANE = "dirpriv.plane/2";
const FIELDS = {
  [CIRCLE]: "cells,format,level,period_seconds,radius_cells,sha256,weights",
  [PLANE]: "cell_size,format,level,radius_metres,rate,region_centre,region_reach,sha256",
};
const BITS = 128n, UNIT = 320n;

/** @param {boolean} holds @param {string} rule */
function must(holds, rule) {
  if (!holds) throw new RangeError(`the release is refused: it must ${rule}`);
}

/** @typedef {[bigint, bigint]} Fraction a numerator, and a denominator above 0 */

/** A double as a fraction, exactly, in lowest terms. @param {number} x @returns {Fraction} */
function fraction(x) {
  let denominator = 1n;
  while (!Number.isInteger(x)) { x *= 2; denominator *= 2n; } // exact
  return [BigInt(x), denominator];
}

/** An integer below e^x 2^320: a sum of positive terms, each rounded down. @param {bigint} n @param {bigint} d */
function exponentialBelow(n, d) {
  let term = 1n << UNIT, sum = 0n;
  for (let k = 1n; term > 0n; k++) { sum += term; term = term * n / (d * k); }
  return sum;
}

/** SHA-256 of a text, in hexadecimal digits. @param {string} text @returns {Promise<string>} */
export async function sha256(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Random bits of the browser, as hexadecimal digits. @param {number} bytes @returns {string} */
export function randomHex(bytes) {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/**
 * The release of a document, refused unless it holds the promise that people are shown.
 * @param {any} document as export() of CircleRelease or PlaneRelease of dirpriv has written it
 * @param {{level: number, radius_cells?: number, radius_metres?: string}} promise what the page shows
 * @returns {Promise<CircleRelease | PlaneRelease>}
 */
export async function checkedRelease(document, promise) {
  must(document !== null && typeof document === "object" && "format" in document, "have the fields of its format");
  must(document.format === CIRCLE || document.format === PLANE, `be of the format ${CIRCLE} or ${PLANE}`);
  const { format, level } = document, names = FIELDS[format], radius = format === PLANE ? "radius_metres" : "radius_cells";
  must(Object.keys(document).sort().join() === names, `have the fields ${names}, and no others`);
  must(typeof level === "number" && level > 0 && level <= 100, "have a level above 0 and at most 100");
  must(promise !== null && typeof promise === "object" && promise.level === level && promise[radius] === document[radius],
    "have the level and the radius that are shown");
  return format === PLANE ? checkedPlane(document) : checkedCircle(document);
}

/** @param {any} document whose fields and level are checked @returns {Promise<CircleRelease>} */
async function checkedCircle({ format, cells, period_seconds: seconds, level, radius_cells: distance, weights: texts, sha256: hash }) {
  must(Number.isInteger(cells) && cells >= 2 && cells <= 100000, "have 2 to 100000 cells");
  must(Number.isInteger(seconds) && seconds >= 1 && seconds <= 31622400, "have a period of 1 to 31622400 s");
  const last = Math.floor(cells / 2);
  must(Number.isInteger(distance) && distance >= 1 && distance <= last, "promise a level within one cell or more, up to half of all");
  must(Array.isArray(texts) && texts.length === last + 1, "have a weight for each distance");
  must(texts.every((t) => typeof t === "string" && /^[1-9a-f][0-9a-f]{0,32}$/.test(t)),
    "have hexadecimal integers above 0 as weights, without zeros in front");
  const [n, d] = fraction(level);
  must(hash === await sha256([format, cells, seconds, `${n}/${d}`, distance, ...texts].join("\n")),
    "have the hash of its own fields");
  const weights = texts.map((/** @type {string} */ text) => BigInt(`0x${text}`)), most = exponentialBelow(n, d);
  // two inputs at most this many cells apart: their distances from any output differ by no more
  for (let i = 0; i <= last; i++) {
    must(i === last || weights[i] >= weights[i + 1], "have weights that do not rise with the distance");
    must(weights[i] << UNIT <= weights[Math.min(i + distance, last)] * most,
      `hold its promise; its weights break it ${i} cells from the input`);
  }
  let total = 0n;
  const borders = Array.from({ length: cells }, (_, j) => (total += weights[Math.min(j, cells - j)]));
  must(total <= 1n << BITS, "have weights with a total of at most 2^128");
  let shift = 0n;
  while (total << (shift + 1n) <= 1n << BITS) shift++;
  return new CircleRelease(cells, seconds, level, distance, hash, borders.map((border) => border << shift));
}

/** How many of these borders, below the last, a number reaches. @param {bigint[]} borders @param {bigint} u */
function reached(borders, u) {
  let low = 0, high = borders.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (u < borders[middle]) high = middle; else low = middle + 1;
  }
  return low;
}

/** A checked release of times, as only checkedRelease() makes one. Nothing in it can be changed. */
class CircleRelease {
  #borders;

  /**
   * @param {number} cells @param {number} seconds of the period @param {number} level @param {number} apart
   * @param {string} hash @param {bigint[]} borders partial sums of the weights
   */
  constructor(cells, seconds, level, distance, hash, borders) {
    this.#borders = borders;
    Object.assign(this, { cells, seconds, level, radiusCells: distance, sha256: hash });
    Object.freeze(this);
  }

  /** The radius of the level, as a text. */
  get radius() {
    const minutes = this.radiusCells * this.seconds / this.cells / 60, hours = Math.floor(minutes / 60);
    return [hours && `${hours} h`, minutes % 60 && `${minutes % 60} min`].filter(Boolean).join(" ");
  }

  /** A report of 8:15, as people read it. */
  example() { return this.label(this.randomise(this.cellOf(8 * 3600 + 15 * 60))); }

  /** The number of steps that a uniform integer below the total gives: of the borders that it reaches. @param {bigint} u */
  find(u) { return reached(this.#borders, u); }

  /** One report of a cell. Its time can depend on the draw, as that of all BigInt can. @param {number} cell */
  randomise(cell) {
    if (!Number.isInteger(cell) || cell < 0 || cell >= this.cells) throw new RangeError("there is no such cell");
    const total = this.#borders[this.#borders.length - 1];
    for (;;) {
      const [high, low] = crypto.getRandomValues(new BigUint64Array(2)), u = high << 64n | low;
      if (u < total) return (cell + this.find(u)) % this.cells;
    }
  }

  /** The cell of a time: all integers below 2^53. @param {number} second of the period */
  cellOf(second) {
    if (!Number.isInteger(second) || second < 0 || second >= this.seconds) throw new RangeError("there is no such time in the period");
    return Number(BigInt(second) * BigInt(this.cells) / BigInt(this.seconds));
  }

  /** The middle of a cell in as few decimals as are exact, as "13:30" or "08:15:00.5", or of a week "Mon 08:15:30". @param {number} cell */
  label(cell) {
    const tenths = Math.floor((10 * cell + 5) * this.seconds / this.cells), second = Math.floor(tenths / 10), half = this.seconds / this.cells / 2;
    const two = (/** @type {number} */ x) => String(x).padStart(2, "0");
    const hour = Math.floor(second / 3600), clock = `${two(hour % 24)}:${two(Math.floor(second / 60) % 60)}`;
    const day = this.seconds === 604800 ? `${["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][Math.floor(hour / 24)]} ` : "";
    return day + clock + (half % 60 ? `:${two(second % 60)}` : "") + (half % 1 ? `.${tenths % 10}` : "");
  }

  /** What a report says of a cell. @param {number} cell */
  report(cell) { return { time: this.label(cell) }; }

  /** A report as people read it. @param {any} report */
  shown(report) { return report.time; }
}

// Places: a lattice of cells in the plane, rebuilt from + - * / of doubles, and a map in integers.

const RADIUS = fraction(6371008.8); // metres, of the sphere of the map
const GROUND = times(RADIUS, [298257223563n ** 2n, 6378137n * 297257223563n ** 2n]); // over the least of WGS 84
const ONE = 1n << 192n; // of fixed point
const PI = 0x3243f6a8885a308d313198a2e03707344a4093822299f31d0n; // floor(pi 2^192)
const DEEPEST = 54, FLOOR = 1 / 75557863725914323419136; // nats, 2^-76
const WORD = 18446744073709551616; // 2^64
const BLOCKS = 1024;

/** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
function times(a, b) { return [a[0] * b[0], a[1] * b[1]]; }
/** @param {Fraction} a @param {Fraction} b @returns {Fraction} */
function plus(a, b) { return [a[0] * b[1] + b[0] * a[1], a[1] * b[1]]; }
/** @param {Fraction} a @param {Fraction} b */
function atMost(a, b) { return a[0] * b[1] <= b[0] * a[1]; }

/** A positive fraction of a text such as 30000 or 1/10, in lowest terms. @param {any} text @returns {Fraction} */
function read(text) {
  must(typeof text === "string" && /^[1-9][0-9]{0,99}(\/[1-9][0-9]{0,99})?$/.test(text), "have lengths in metres, as 30000 or 1/10");
  const [n, d = 1n] = text.split("/").map(BigInt);
  let [a, b] = [n, d];
  while (b) [a, b] = [b, a % b];
  must(a === 1n && !text.endsWith("/1"), "have lengths in lowest terms");
  return [n, d];
}

/** The integer part of a square root. @param {bigint} n from 0 on */
function integerRoot(n) {
  let x = 1n << BigInt(2 * n.toString(16).length + 1); // above it
  while (n) {
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
  return 0n;
}

/** How much the map lengthens ways on the ground at most: GROUND x/sin x, x = D/R. @param {Fraction} reach @returns {Fraction} */
function stretch(reach) {
  const x = reach[0] * RADIUS[1], y = reach[1] * RADIUS[0], linear = 5040n * x * y ** 6n;
  return times(GROUND, [linear, linear - 840n * x ** 3n * y ** 4n + 42n * x ** 5n * y ** 2n - x ** 7n]);
}

/** @param {any} document whose fields and level are checked @returns {Promise<PlaneRelease>} */
async function checkedPlane({ format, region_centre: centre, region_reach: reach, cell_size: size, rate, level, radius_metres: radius, sha256: hash }) {
  const number = (/** @type {any} */ x, /** @type {number} */ low, /** @type {number} */ high) => typeof x === "number" && x >= low && x <= high;
  must(Array.isArray(centre) && centre.length === 2 && number(centre[0], -90, 90) && number(centre[1], -180, 360), "have a region_centre in degrees");
  const [D, h, r] = [reach, size, radius].map(read), place = Object.freeze([...centre]);
  must(atMost([100n, 1n], D) && atMost(D, [10000000n, 1n]), "have a region_reach from 100 m to 10000000 m");
  must(atMost([1n, 1000n], h) && atMost(h, D), "have a cell_size from 0.001 m to its region_reach");
  must(atMost([1n, 1n], r), "promise a level within at least 1 m");
  must(number(rate, 1e-4, DEEPEST), "have a rate from 0.0001 to 54");
  const exact = [...place, rate, level].map((x) => fraction(x).join("/"));
  must(hash === await sha256([format, exact[0], exact[1], reach, size, exact[2], exact[3], radius].join("\n")), "have the hash of its own fields");
  // inputs r apart lie in cells whose centres are at most this many metres apart; the rate is a double nearest to it, or less
  const diagonal = times(h, [integerRoot(2n << 400n) + 1n, 1n << 200n]), lower = rate * (1 - Number.EPSILON / 2);
  const metres = plus(plus(times(stretch(D), r), diagonal), [1n, 1000000n]);
  const allowed = times(times(fraction(level), h), [2n * (10n ** 9n - 1n), 10n ** 9n]);
  must(atMost(times(plus(fraction(rate), fraction(lower)), metres), allowed), "hold its promise; its rate breaks it");
  const region = Number((D[0] * h[1] + D[1] * h[0] - 1n) / (D[1] * h[0])); // cells, rounded up
  const half = region + Math.ceil(DEEPEST / rate) + 1;
  must(atMost(times(diagonal, [BigInt(half + 1), 1n]), times(RADIUS, [3n, 1n])), "be smaller than the Earth with its noise");
  return new PlaneRelease(place, D, h, rate, level, radius, hash, region, half);
}

/** e^-k for k from 0, and e^(-i/64): the nearest doubles. @param {number} count @param {bigint} parts */
const powers = (count, parts) => Array.from({ length: count }, (_, k) =>
  Number((1n << 640n) / exponentialBelow(BigInt(k), parts)) / Number(1n << UNIT));
const WHOLES = powers(DEEPEST + 1, 1n), PARTS = powers(64, 64n);

/** e^-x within 8 units of 2^-53, as dirpriv/exact/exponential_weights.py proves. @param {number} x from 0 on */
function exponential(x) {
  x = Math.min(x, DEEPEST);
  const whole = Math.floor(x), part = Math.floor((x - whole) * 64), rest = x - whole - part / 64;
  let value = -1 / 5040;
  for (const factorial of [720, -120, 24, -6, 2, -1, 1]) value = value * rest + 1 / factorial;
  return value * PARTS[part] * WHOLES[whole];
}

/** A square root, rounded correctly: of Math.sqrt nothing is promised, so it is corrected. @param {number} n integer below 2^50 */
export function root(n) {
  let s = Math.sqrt(n), power = 1;
  if (n === 0) return 0;
  while (2 * power <= s) power *= 2;
  const unit = power * Number.EPSILON; // of the last place of s
  for (;;) { // n - s^2, exactly: s is a sum of two halves of 26 bits
    const t = s * 134217729, a = t - (t - s), b = s - a, p = s * s, rest = n - p - (a * a - p + 2 * a * b + b * b);
    if (rest > s * unit) s += unit; else if (rest <= -s * unit) s -= unit; else return s;
  }
}

/** Sine and cosine of an angle in units of 2^-192, up to 2^-170. @param {bigint} x at most 3 pi */
function sineCosine(x) {
  const sums = [0n, 0n, 0n, 0n];
  for (let k = 0n, term = ONE; term !== 0n; term = term * x / (++k * ONE)) sums[Number(k % 4n)] += term;
  return [sums[1] - sums[3], sums[0] - sums[2]];
}

/** The angle whose tangent is t, from 0 to 1, in units of 2^-192. @param {bigint} t */
function arctangent(t) {
  for (let k = 0; k < 8; k++) t = t * ONE / (ONE + integerRoot(ONE * ONE + t * t)); // that of half the angle
  let sum = 0n;
  for (let k = 1n, power = t; power !== 0n; k += 2n, power = -power * t / ONE * t / ONE) sum += power / k;
  return sum << 8n;
}

/** A checked release of places, as only checkedRelease() makes one. A cell is [east, north], counted from the centre. */
class PlaneRelease {
  #first = /** @type {number[]} */ ([]); #second = /** @type {number[]} */ ([]); #bounds = /** @type {number[]} */ ([]);
  #borders = /** @type {bigint[]} */ ([]); #block = 1; #bits = 0n; #scale = 1; #rate; #half; #reach; #size;

  /**
   * @param {readonly number[]} centre @param {Fraction} reach @param {Fraction} size @param {number} rate @param {number} level
   * @param {string} radius @param {string} hash @param {number} region @param {number} half
   */
  constructor(centre, reach, size, rate, level, radius, hash, region, half) {
    this.#rate = rate; this.#half = half; this.#reach = reach; this.#size = size;
    const [metres, side, length] = [reach, size, read(radius)].map(([n, d]) => Number(n) / Number(d));
    Object.assign(this, { region_centre: centre, region_reach: metres, cell_size: side, radiusMetres: length, level, region, sha256: hash });
    Object.freeze(this);
    while (half - region > BLOCKS * this.#block) { this.#block *= 2; this.#bits++; }
    const end = DEEPEST / rate / this.#block, excess = [];
    for (let i = 0; i <= Math.ceil(end); i++) {
      for (let j = 0; j <= i && i * i + j * j <= end * end; j++) { // the others by exchange
        const most = this.#excess((i * i + j * j) * this.#block * this.#block);
        if (most > 0) { this.#first.push(i); this.#second.push(j); excess.push(most * (1 + 1 / 1099511627776)); }
      }
    }
    const ways = (/** @type {number} */ k) => (this.#first[k] === this.#second[k] ? 4 : 8) * this.#block * this.#block;
    const square = BigInt(2 * half + 1) ** 2n, most = 1 - 1 / 1048576;
    let sum = excess.reduce((total, one, k) => total + one * ways(k), Number(square) * FLOOR), shift = 128n;
    while (sum > most) { sum /= 2; shift--; }
    while (2 * sum <= most) { sum *= 2; shift++; }
    this.#scale = Number(1n << shift);
    let total = square << (shift - 76n);
    this.#borders.push(total);
    excess.forEach((one, k) => {
      this.#bounds.push(Math.floor(one * this.#scale) + 1);
      this.#borders.push(total += BigInt(this.#bounds[k]) * BigInt(ways(k)));
    });
    must(total <= 1n << BITS, "have weights with a total of at most 2^128");
  }

  /** The total of the weights: uniform integers are below it. */
  get total() { return this.#borders[this.#borders.length - 1]; }

  /** The weight above the floor at an offset. @param {number} square of its length in cells */
  #excess(square) { return Math.max(exponential(this.#rate * root(square)) - FLOOR, 0); }

  /**
   * The offset that a uniform integer below the total and two words of 64 bits give; null where all are to be drawn again,
   * and "flat" where any cell is as probable as any other. @param {bigint} u @param {bigint} word @param {bigint} accept
   */
  propose(u, word, accept) {
    const index = reached(this.#borders, u) - 1, inside = BigInt(this.#block - 1), bits = this.#bits;
    if (index < 0) return "flat";
    const a = this.#first[index] * this.#block + Number(word & inside), b = this.#second[index] * this.#block + Number(word >> bits & inside);
    const [west, south, swapped] = [0n, 1n, 2n].map((k) => word >> (2n * bits + k) & 1n);
    const share = this.#excess(a * a + b * b) * this.#scale / this.#bounds[index];
    if (accept >= BigInt(Math.floor(share * WORD)) || (a === 0 && west) || (b === 0 && south)) return null;
    const offset = [west ? -a : a, south ? -b : b];
    return swapped ? offset.reverse() : offset;
  }

  /** One report of a cell. Its time can depend on the draw. @param {number[]} cell @returns {number[]} */
  randomise(cell) {
    if (cell.length !== 2 || !cell.every((x) => Number.isInteger(x) && Math.abs(x) <= this.region)) throw new RangeError("there is no such cell");
    for (;;) {
      const [high, low, word, accept] = crypto.getRandomValues(new BigUint64Array(4)), u = high << 64n | low;
      const offset = u < this.total ? this.propose(u, word, accept) : null;
      if (offset === "flat") return [0, 0].map(() => Number(this.#anywhere()) - this.#half);
      if (offset) return cell.map((x, k) => x + offset[k]);
    }
  }

  #anywhere() {
    const side = BigInt(2 * this.#half + 1), end = (1n << 64n) / side * side; // beyond it, small remainders would be favoured
    for (;;) {
      const [word] = crypto.getRandomValues(new BigUint64Array(1));
      if (word < end) return word % side;
    }
  }

  /** The cell of a latitude and a longitude in degrees, by integers: up to 10^-40 m of the map. @param {number[]} place */
  cellOf(place) {
    const [latitude, longitude] = place;
    if (!(Math.abs(latitude) <= 90 && longitude >= -180 && longitude <= 360)) throw new RangeError("there is no such place: latitudes are from -90 to 90");
    const angle = (/** @type {Fraction} */ [n, d]) => n * PI / (d * 180n), minus = fraction(-this.region_centre[1]);
    const [sine, cosine] = sineCosine(angle(fraction(latitude))), [turn, back] = sineCosine(angle(plus(fraction(longitude), minus)));
    const [start, across] = sineCosine(angle(fraction(this.region_centre[0])));
    const east = cosine * turn / ONE, north = (across * sine - start * (cosine * back / ONE)) / ONE;
    const along = (start * sine + across * (cosine * back / ONE)) / ONE, length = integerRoot(east * east + north * north);
    if (length === 0n) return [0, 0];
    const theta = 2n * arctangent(length * ONE / (ONE + (along < 0n ? -along : along))); // of the antipode where it is nearer
    const [D, d] = this.#reach, far = theta * RADIUS[0] / RADIUS[1], distance = far * d < D * ONE ? far : D * ONE / d;
    return [east, north].map((part) => {
      const [n, m] = this.#size, twice = 2n * (part * distance / length) * m + n * ONE, width = 2n * n * ONE;
      return Number(twice / width - (twice % width < 0n ? 1n : 0n)); // rounded down
    });
  }

  /** The radius of the level, as a text. */
  get radius() { return this.radiusMetres < 1000 ? `${this.radiusMetres} m` : `${this.radiusMetres / 1000} km`; }

  /** How far a report lands from the middle of its cell, as people read it. */
  example() { return `${Math.round(this.cell_size * Math.hypot(...this.randomise([0, 0])))} m`; }

  /** What a report says of a cell. @param {number[]} cell */
  report([east, north]) { return { east, north }; }

  /** A report as people read it: degrees, in which no error matters any more. @param {any} report */
  shown({ east, north }) {
    const turn = Math.PI / 180, radius = 6371008.8 * turn, [latitude, longitude] = this.region_centre, way = this.cell_size * Math.hypot(east, north) / radius;
    const bearing = Math.atan2(east, north), sine = Math.sin(latitude * turn), cosine = Math.cos(latitude * turn);
    const ahead = Math.sin(way * turn) * Math.cos(bearing), side = Math.sin(way * turn) * Math.sin(bearing), down = Math.cos(way * turn);
    const x = cosine * down - sine * ahead, z = sine * down + cosine * ahead, found = longitude + Math.atan2(side, x) / turn;
    return `${(Math.atan2(z, Math.hypot(x, side)) / turn).toFixed(5)}, ${((found + 540) % 360 - 180).toFixed(5)}`;
  }
}
