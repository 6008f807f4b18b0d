// Randomises a time on the device that knows it. The table is a public document of integers, whose format is
// in docs/device_format.md. All of it is checked before the first draw, so its sender need not be believed.

const FORMAT = "dirpriv.circle/1";
const FIELDS = "cells,format,level,period_seconds,sha256,weights,within_cells";
const BITS = 128n, UNIT = 320n;

/** @param {boolean} holds @param {string} rule */
function must(holds, rule) {
  if (!holds) throw new RangeError(`the release is refused: it must ${rule}`);
}

/** A double as a fraction, exactly. @param {number} x above 0 @returns {[bigint, bigint]} */
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
 * @param {any} document as CircleRelease.export() of dirpriv has written it
 * @param {{level: number, within_cells: number}} promise what the page shows
 * @returns {Promise<CircleRelease>}
 */
export async function checkedRelease(document, promise) {
  must(document !== null && typeof document === "object" && !Array.isArray(document)
    && Object.keys(document).sort().join() === FIELDS, `have the fields ${FIELDS}, and no others`);
  const { format, cells, period_seconds: seconds, level, within_cells: apart, weights: texts, sha256: hash } = document;
  must(format === FORMAT, `be of the format ${FORMAT}`);
  must(Number.isInteger(cells) && cells >= 2 && cells <= 100000, "have 2 to 100000 cells");
  must(Number.isInteger(seconds) && seconds >= 1 && seconds <= 31622400, "have a period of 1 to 31622400 s");
  must(typeof level === "number" && level > 0 && level <= 100, "have a level above 0 and at most 100");
  const last = Math.floor(cells / 2);
  must(Number.isInteger(apart) && apart >= 1 && apart <= last, "promise a level within one cell or more, up to half of all");
  must(promise !== null && typeof promise === "object" && promise.level === level && promise.within_cells === apart,
    "have the level and the radius that are shown");
  must(Array.isArray(texts) && texts.length === last + 1, "have a weight for each distance");
  must(texts.every((t) => typeof t === "string" && /^[1-9a-f][0-9a-f]{0,32}$/.test(t)),
    "have hexadecimal integers above 0 as weights, without zeros in front");
  const [n, d] = fraction(level);
  must(hash === await sha256([format, cells, seconds, `${n}/${d}`, apart, ...texts].join("\n")),
    "have the hash of its own fields");
  const weights = texts.map((/** @type {string} */ text) => BigInt(`0x${text}`)), most = exponentialBelow(n, d);
  // two inputs at most this many cells apart: their distances from any output differ by no more
  for (let i = 0; i <= last; i++) {
    must(i === last || weights[i] >= weights[i + 1], "have weights that do not rise with the distance");
    must(weights[i] << UNIT <= weights[Math.min(i + apart, last)] * most,
      `hold its promise; its weights break it ${i} cells from the input`);
  }
  let total = 0n;
  const borders = Array.from({ length: cells }, (_, j) => (total += weights[Math.min(j, cells - j)]));
  must(total <= 1n << BITS, "have weights with a total of at most 2^128");
  let shift = 0n;
  while (total << (shift + 1n) <= 1n << BITS) shift++;
  return new CircleRelease(cells, seconds, level, apart, hash, borders.map((border) => border << shift));
}

/** A checked release, as only checkedRelease() makes one. Nothing in it can be changed. */
class CircleRelease {
  #borders;

  /**
   * @param {number} cells @param {number} seconds of the period @param {number} level @param {number} apart
   * @param {string} hash @param {bigint[]} borders partial sums of the weights
   */
  constructor(cells, seconds, level, apart, hash, borders) {
    this.#borders = borders;
    Object.assign(this, { cells, seconds, level, withinCells: apart, sha256: hash });
    Object.freeze(this);
  }

  /** The radius of the level, in seconds. */
  get within() { return this.withinCells * this.seconds / this.cells; }

  /** The number of steps that a uniform integer below the total gives: of the borders that it reaches. @param {bigint} u */
  find(u) {
    let low = 0, high = this.#borders.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (u < this.#borders[middle]) high = middle; else low = middle + 1;
    }
    return low;
  }

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

  /** The time at which a cell begins, as "08:15", or of a week "Mon 08:15". @param {number} cell */
  label(cell) {
    const second = Math.floor(cell * this.seconds / this.cells), two = (/** @type {number} */ x) => String(x).padStart(2, "0");
    const hour = Math.floor(second / 3600), clock = `${two(hour % 24)}:${two(Math.floor(second / 60) % 60)}`;
    const day = this.seconds === 604800 ? `${["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][Math.floor(hour / 24)]} ` : "";
    return day + clock + (this.seconds / this.cells % 60 ? `:${two(second % 60)}` : "");
  }
}
