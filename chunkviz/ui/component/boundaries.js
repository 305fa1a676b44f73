/**
 * Pure functions over boundaries that are set by hand: the places, in UTF-16 units, where chunks start, the first chunk
 * aside. `chunkviz/strategies/manual.py` does the same in code points; `tests/js` compares the two.
 */

import { upTo } from "./core.js";

// What Python takes for white space: not the byte order mark, which JavaScript adds, but the separators it leaves out.
const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const INK = /[^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;

/** @param {string} character */
export const isBlank = (character) => BLANK.test(character);

/**
 * The first visible character at or after `position`; the length of the text where none follows.
 * @param {string} text
 * @param {number} position
 */
export function nextInk(text, position) {
  INK.lastIndex = position;
  const found = INK.exec(text);
  return found ? found.index : text.length;
}

/**
 * Where the last visible character before `position` ends.
 * @param {string} text
 * @param {number} position
 */
function inkEnd(text, position) {
  let end = position;
  while (end > 0 && isBlank(text[end - 1])) end--;
  return end;
}

/**
 * The places that parting at `positions` means: in order, none twice, each at a visible character, none before all text
 * or behind it.
 *
 * @param {string} text
 * @param {ArrayLike<number>} positions
 */
export function placed(text, positions) {
  const first = nextInk(text, 0);
  const found = new Set(Array.from(positions, (at) => nextInk(text, at)));
  return Array.from(found)
    .filter((at) => at > first && at < text.length)
    .sort((a, b) => a - b);
}

/**
 * The chunks between boundaries, without the white space before each boundary.
 *
 * @param {string} text
 * @param {number[]} boundaries as `placed` gives them
 */
export function spansOf(text, boundaries) {
  const first = nextInk(text, 0);
  if (first === text.length) return { starts: new Uint32Array(0), ends: new Uint32Array(0) };
  const starts = Uint32Array.from([first, ...boundaries]);
  const ends = Uint32Array.from([...boundaries, text.length], (at) => inkEnd(text, at));
  return { starts, ends };
}

/**
 * The boundaries with the one at `index` elsewhere; null where it would not stay between its neighbours.
 *
 * @param {string} text
 * @param {number[]} boundaries
 * @param {number} index
 * @param {number} position
 */
export function moved(text, boundaries, index, position) {
  const to = nextInk(text, position);
  const low = index > 0 ? boundaries[index - 1] : nextInk(text, 0);
  const high = index + 1 < boundaries.length ? boundaries[index + 1] : text.length;
  if (to <= low || to >= high) return null;
  return boundaries.with(index, to);
}

/**
 * The boundaries with one more; null where there is one already, or where nothing would be parted.
 *
 * @param {string} text
 * @param {number[]} boundaries
 * @param {number} position
 */
export function split(text, boundaries, position) {
  const made = placed(text, [...boundaries, position]);
  return made.length > boundaries.length ? made : null;
}

/** Splits text into words of any script. */
const words = new Intl.Segmenter(undefined, { granularity: "word" });
const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Where a boundary may come to stand in a stretch of text: before each word, and before a sign that follows a blank; with
 * `fine`, before each visible character.
 *
 * @param {string} text
 * @param {boolean} [fine]
 * @returns {number[]}
 */
export function stops(text, fine = false) {
  const found = [];
  for (const { index, segment, isWordLike } of (fine ? characters : words).segment(text)) {
    if (isBlank(segment[0])) continue;
    if (fine || isWordLike || index === 0 || isBlank(text[index - 1])) found.push(index);
  }
  return found;
}

/**
 * The next stop after `position`, or the last before it; null where there is none nearby.
 *
 * @param {string} text
 * @param {number} position
 * @param {1 | -1} direction
 * @returns {number | null}
 */
export function nextStop(text, position, direction) {
  // A window is enough, and its edges may lie in the middle of a word: they are no stops.
  const from = Math.max(0, position - 400);
  const to = Math.min(text.length, position + 400);
  const all = stops(text.slice(from, to)).map((at) => at + from);
  const inner = from > 0 ? all.slice(1) : all;
  const at = direction === 1 ? upTo(inner, position) : upTo(inner, position - 1) - 1;
  return at >= 0 && at < inner.length ? inner[at] : null;
}

/** Boundaries before and after, for undoing. */
export class History {
  /** @param {number[]} boundaries */
  constructor(boundaries) {
    this.now = boundaries;
    /** @type {number[][]} */
    this.past = [];
    /** @type {number[][]} */
    this.future = [];
  }

  /** @param {number[]} boundaries */
  push(boundaries) {
    this.past.push(this.now);
    if (this.past.length > MOST_STEPS) this.past.shift();
    this.future = [];
    this.now = boundaries;
  }

  /** @returns {boolean} whether there was something to undo */
  undo() {
    const before = this.past.pop();
    if (!before) return false;
    this.future.push(this.now);
    this.now = before;
    return true;
  }

  /** @returns {boolean} whether there was something to do again */
  redo() {
    const after = this.future.pop();
    if (!after) return false;
    this.past.push(this.now);
    this.now = after;
    return true;
  }
}

const MOST_STEPS = 200;

/**
 * A column with other chunks. What is known of a chunk that stays is kept; what only Python can say of a new one (its
 * size, its headings, its pages) is left open until it has.
 *
 * @param {import("./codec.js").Column} column
 * @param {{starts: Uint32Array, ends: Uint32Array}} spans
 * @returns {import("./codec.js").Column}
 */
export function redrawn(column, spans) {
  const count = spans.starts.length;
  /** @type {Map<number, number>} */
  const known = new Map();
  for (let i = 0; i < column.count; i++) known.set(column.starts[i], i);
  const old = Array.from(spans.starts, (start, i) => {
    const at = known.get(start);
    return at !== undefined && column.ends[at] === spans.ends[i] ? at : -1;
  });
  const take = (/** @type {ArrayLike<number>} */ from, /** @type {number} */ otherwise) =>
    Uint32Array.from(old, (at) => (at < 0 ? otherwise : from[at]));
  const byHand = column.reasons.length;
  const reason = take(column.reason, byHand);
  // A chunk that was the last one ended with the document; it need not any more.
  for (let i = 0; i + 1 < count; i++) if (old[i] === column.count - 1) reason[i] = byHand;
  return {
    ...column,
    count,
    starts: spans.starts,
    ends: spans.ends,
    tokens: /** @type {any} */ (Float64Array.from(old, (at) => (at < 0 ? Number.NaN : column.tokens[at]))),
    reasons: [...column.reasons, "set by hand"],
    reason,
    paths: [...column.paths, []],
    path: take(column.path, column.paths.length),
    contexts: [...column.contexts, ""],
    context: take(column.context, column.contexts.length),
    pageFirst: take(column.pageFirst, 0),
    pageLast: take(column.pageLast, 0),
    flags: new Map(),
    oversize: [],
    dropped: { starts: new Uint32Array(0), ends: new Uint32Array(0), reasons: [] },
    marks: column.marks.map((kind) => ({ ...kind, starts: new Uint32Array(0), ends: new Uint32Array(0) })),
  };
}
