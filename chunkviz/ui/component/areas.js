/** Where chunks lie on a page: from the boxes of words to one rectangle per line. Pure; `tests/js` runs it under Node. */

import { chunksAt } from "./core.js";

/** @typedef {{x0: number, y0: number, x1: number, y1: number}} Rect */

const WIDEST_GAP = 2.5; // times the height of the line: beyond it the words stand in another column, or in another cell

/**
 * For each chunk that has a word on the page its rectangles, one per line, in reading order.
 *
 * @param {{starts: ArrayLike<number>, ends: ArrayLike<number>}} chunks
 * @param {{starts: ArrayLike<number>, ends: ArrayLike<number>, boxes: ArrayLike<number>}} words in order of their starts;
 *   four numbers for each box: left, top, right, bottom
 * @returns {Map<number, Rect[]>}
 */
export function areas(chunks, words) {
  /** @type {Map<number, Rect[]>} */
  const found = new Map();
  for (let i = 0; i < words.starts.length; i++) {
    const [x0, y0, x1, y1] = [0, 1, 2, 3].map((side) => words.boxes[4 * i + side]);
    // A word that a cut goes through belongs to the chunks on both sides.
    const { first } = chunksAt(chunks, words.starts[i]);
    const { last } = chunksAt(chunks, words.ends[i] - 1);
    for (let chunk = first; chunk <= last; chunk++) {
      const rects = found.get(chunk) ?? [];
      found.set(chunk, rects);
      const before = rects.at(-1);
      if (before && beside(before, { x0, y0, x1, y1 })) {
        before.x0 = Math.min(before.x0, x0);
        before.y0 = Math.min(before.y0, y0);
        before.x1 = Math.max(before.x1, x1);
        before.y1 = Math.max(before.y1, y1);
      } else {
        rects.push({ x0, y0, x1, y1 });
      }
    }
  }
  return found;
}

/**
 * Whether two boxes stand in one line, next to each other.
 *
 * @param {Rect} a
 * @param {Rect} b
 */
function beside(a, b) {
  const height = Math.min(a.y1 - a.y0, b.y1 - b.y0);
  const shared = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  const gap = Math.max(b.x0 - a.x1, a.x0 - b.x1);
  return shared > height / 2 && gap < WIDEST_GAP * height;
}
