/**
 * From borders to chunks: what `strategies/fixed.py` and `strategies/recursive.py` do, once more, so that the text is cut
 * again while a slider of size or overlap moves. Pure functions; `tests/js` holds them to what Python cuts. The server
 * answers a moment later all the same, and what it says is what stays.
 *
 * A cut is null where Python alone can be sure: the reader then waits for the server, as for every other strategy.
 */

import { isBlank } from "./boundaries.js";
import { upTo } from "./core.js";

/** @typedef {import("./codec.js").Blob} Blob */
/** @typedef {{starts: Uint32Array, ends: Uint32Array, tokens: Uint32Array}} Spans */

/**
 * What does not depend on size and overlap.
 *
 * @typedef {object} Resizing
 * @property {string} key
 * @property {string} by
 * @property {Int32Array} positions UTF-16 offsets, never decreasing
 * @property {Record<string, Int32Array>} numbers see the strategy that made them
 */

// A blank before one of these is no blank of its own; where such a character begins a chunk, Python knows more.
const JOINS = /[\p{M}\p{Cf}\u{1f3fb}-\u{1f3ff}]/u;

/**
 * @param {Blob} blob
 * @returns {Resizing}
 */
export function readResizing(blob) {
  const { key, by, counts } = blob.header;
  if (!(by in WAYS)) throw new Error(`The viewer does not know how to cut by ${by}.`);
  /** @type {Record<string, Int32Array>} */
  const numbers = {};
  for (const [name, bytes] of blob.arrays) numbers[name] = widen(/** @type {Uint8Array} */ (bytes), counts[name]);
  const { positions, ...rest } = numbers;
  return { key, by, positions, numbers: rest };
}

/**
 * The numbers that `resizing.narrow` wrote.
 *
 * @param {Uint8Array} bytes
 * @param {number} count
 */
export function widen(bytes, count) {
  const values = new Int32Array(count);
  let at = 0;
  let value = 0;
  let step = 0;
  for (const byte of bytes) {
    step += byte;
    if (byte === 255) continue;
    value += step & 1 ? -((step + 1) >>> 1) : step >>> 1;
    step = 0;
    if (at === count) break;
    values[at++] = value;
  }
  if (at !== count || step) throw new Error("The viewer got borders that are cut off.");
  return values;
}

/**
 * @param {Resizing} data
 * @param {string} text
 * @param {{size: number, overlap: number}} values legal: 0 <= overlap < size
 * @returns {Spans | null}
 */
export function resized(data, text, values) {
  return WAYS[/** @type {keyof typeof WAYS} */ (data.by)](data, text, values);
}

const WAYS = { windows, parts };

/** Grows as spans come in. */
class Found {
  /** @type {number[]} */
  starts = [];
  /** @type {number[]} */
  ends = [];
  /** @type {number[]} */
  tokens = [];

  get last() {
    return this.ends.length - 1;
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {number} tokens
   */
  add(start, end, tokens) {
    this.starts.push(start);
    this.ends.push(end);
    this.tokens.push(tokens);
  }

  /** @returns {Spans} */
  done() {
    return { starts: Uint32Array.from(this.starts), ends: Uint32Array.from(this.ends), tokens: Uint32Array.from(this.tokens) };
  }
}

/**
 * Every `size` units, with `overlap` of them repeated.
 *
 * @param {Resizing} data
 * @param {string} text
 * @param {{size: number, overlap: number}} values
 */
function windows({ positions }, text, { size, overlap }) {
  const n = positions.length - 1;
  const found = new Found();
  for (let first = 0; ; first += size - overlap) {
    const last = Math.min(first + size, n);
    const start = positions[first];
    const end = positions[last];
    if (inkFrom(text, start, end) < end && (found.last < 0 || end > found.ends[found.last])) found.add(start, end, last - first);
    if (first >= n - size) return found.done(); // it reaches the end: what would follow is only repetition
  }
}

/**
 * The biggest separator first, smaller ones inside what is still too long; then short parts are packed together.
 *
 * @param {Resizing} data
 * @param {string} text
 * @param {{size: number, overlap: number}} values
 */
function parts({ positions, numbers }, text, { size, overlap }) {
  const { level, own, head, tail } = numbers;
  const n = positions.length;
  const odd = new Map(Array.from(numbers.odd_from, (from, i) => [from * n + numbers.odd_to[i], numbers.odd_own[i]]));
  const length = (/** @type {number} */ i, /** @type {number} */ j) =>
    j === i + 1 ? own[i] : (odd.get(i * n + j) ?? tail[j] - head[i]);
  const found = new Found();

  /**
   * @param {number} from border number
   * @param {number} to
   * @returns {boolean} whether all of it could be cut
   */
  function split(from, to) {
    let lowest = Infinity;
    for (let i = from + 1; i < to; i++) if (level[i] < lowest) lowest = level[i];
    if (lowest === Infinity) return false; // between characters: Python's
    let run = [from];
    let totals = [0];
    let before = from;
    for (let i = from + 1; i <= to; i++) {
      if (i < to && level[i] !== lowest) continue;
      const tokens = length(before, i);
      if (tokens < size) {
        run.push(i);
        totals.push(totals[totals.length - 1] + tokens);
      } else {
        if (!packed(run, totals) || !split(before, i)) return false;
        run = [i];
        totals = [0];
      }
      before = i;
    }
    return packed(run, totals);
  }

  /**
   * @param {number[]} run borders of parts that are short
   * @param {number[]} totals prefix sums of their lengths
   */
  function packed(run, totals) {
    const last = run.length - 1;
    let first = 0;
    while (first < last) {
      const after = Math.max(upTo(totals, totals[first] + size) - 1, first + 1);
      if (!add(positions[run[first]], positions[run[after]], totals[after] - totals[first])) return false;
      if (after >= last) return true;
      const keep = below(totals, totals[after] - overlap);
      const room = below(totals, totals[after + 1] - size);
      first = Math.max(first, keep, Math.min(room, below(totals, totals[after])));
    }
    return true;
  }

  /**
   * A chunk without its outer white space, unless nothing is left or it is the one before.
   * @param {number} from
   * @param {number} to
   * @param {number} tokens
   */
  function add(from, to, tokens) {
    const start = inkFrom(text, from, to);
    if (start === to) return true;
    let end = to;
    while (isBlank(text[end - 1])) end--;
    if (joins(text, start) || (end < text.length && joins(text, end))) return false;
    if (found.last < 0 || start !== found.starts[found.last] || end !== found.ends[found.last]) found.add(start, end, tokens);
    return true;
  }

  return split(0, n - 1) ? found.done() : null;
}

/**
 * How many of the sorted values are < x.
 * @param {ArrayLike<number>} sorted whole numbers
 * @param {number} x
 */
const below = (sorted, x) => upTo(sorted, x - 1);

/**
 * The first visible character of `text[start:end]`, `end` where there is none.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} end
 */
function inkFrom(text, start, end) {
  let at = start;
  while (at < end && isBlank(text[at])) at++;
  return at;
}

/**
 * Whether the character at `at` may be one with what stands before it.
 * @param {string} text
 * @param {number} at
 */
function joins(text, at) {
  const unit = text.charCodeAt(at);
  if (unit < 0x300) return unit === 0xad; // all of Latin, at no cost; the soft hyphen is a format character
  return JOINS.test(String.fromCodePoint(/** @type {number} */ (text.codePointAt(at))));
}
