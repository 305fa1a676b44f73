/** From a point on the screen to a boundary that is there, or to a place where one may be. */

import { isBlank, stops } from "./boundaries.js";
import { lastOf } from "./core.js";

/** @typedef {import("./render.js").Renderer} Renderer */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{left: number, right: number, top: number, bottom: number}} Rect */

/** How near to a bar a pointer grabs it, in pixels to each side: a finger hides what it points at. */
const REACH = { mouse: 6, touch: 14 };
const NEAR_LINE = 12; // pixels above and below a row that still belong to it

/** @param {string} pointerType */
export const reachOf = (pointerType) => (pointerType === "mouse" ? REACH.mouse : REACH.touch);

const RIGHT_TO_LEFT = /^[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const LETTER = /^\p{L}/u;

/**
 * Whether a word begins at its right edge: by its own script, and where it has none by the paragraph's direction.
 *
 * @param {string} text
 * @param {boolean} paragraph whether the paragraph is written from right to left
 */
export function beginsRight(text, paragraph) {
  if (RIGHT_TO_LEFT.test(text)) return true;
  return LETTER.test(text) ? false : paragraph;
}

/**
 * How far a point is from a place before a character; lines count before everything else.
 *
 * @param {Point} point
 * @param {Rect} rect of the character
 * @param {boolean} right whether its word begins at the right edge
 * @param {boolean} nearest whether both sides count the same; otherwise the place is wanted that the point is behind
 */
export function distance(point, rect, right, nearest) {
  const ahead = right ? rect.right - point.x : point.x - rect.left; // > 0: the point is past it
  const above = Math.max(0, rect.top - point.y, point.y - rect.bottom);
  const beside = nearest ? Math.abs(ahead) : ahead >= -1 ? ahead : 10_000 - ahead;
  return above * 100_000 + beside;
}

/**
 * The boundary under a pointer: its grip with the number, or its bar.
 *
 * @param {Renderer} renderer
 * @param {Point} point
 * @param {number} reach
 * @param {(column: number) => boolean} wanted
 * @returns {{column: number, index: number} | null} `index` among the boundaries, the first is that of the second chunk
 */
export function grabbed(renderer, point, reach, wanted) {
  const root = /** @type {ShadowRoot | Document} */ (renderer.scroller.getRootNode());
  for (const right of [0, reach, -reach, reach / 2, -reach / 2]) {
    const target = root.elementFromPoint(point.x + right, point.y);
    const piece = target?.closest(".opens");
    const found = renderer.locate(target ?? null);
    if (!(piece instanceof HTMLElement) || !found || !wanted(found.column)) continue;
    const chunk = lastOf(piece.dataset.chunk);
    const [rect] = piece.getClientRects();
    const row = piece.closest(".row")?.getBoundingClientRect();
    if (!rect || !row || chunk === 0) continue;
    const inMargin = right === 0 && point.x < row.left && Math.abs(point.y - (rect.top + rect.bottom) / 2) < 2 * REACH.touch;
    const edge = getComputedStyle(piece).direction === "rtl" ? rect.right : rect.left;
    const onBar = point.y >= rect.top && point.y <= rect.bottom && Math.abs(point.x - edge) <= reach;
    if (inMargin || onBar) return { column: found.column, index: chunk - 1 };
  }
  return null;
}

/**
 * The place a boundary may have that is nearest to a point; for a click, the word under it.
 *
 * @param {Renderer} renderer
 * @param {string} text of the document
 * @param {number} column
 * @param {Point} point
 * @param {{nearest: boolean, fine: boolean}} how `fine`: any character, not only the start of a word
 * @returns {number | null} UTF-16 offset
 */
export function placeAt(renderer, text, column, point, { nearest, fine }) {
  const track = renderer.tracks[column];
  if (!track) return null;
  let best = { far: Infinity, at: /** @type {number | null} */ (null) };
  for (const group of renderer.near) {
    const first = renderer.groups[group];
    for (const [i, row] of track.cells[group].rows.entries()) {
      const box = row.getBoundingClientRect();
      if (point.y < box.top - NEAR_LINE || point.y > box.bottom + NEAR_LINE) continue;
      const from = renderer.rowStart(first + i);
      const paragraph = getComputedStyle(row).direction === "rtl";
      for (const stop of stops(text.slice(from, renderer.rowStart(first + i + 1)), fine)) {
        const rect = characterAt(row, stop)?.getClientRects()[0];
        if (!rect) continue;
        const far = distance(point, rect, beginsRight(text.slice(from + stop, from + stop + 2), paragraph), nearest);
        if (far < best.far) best = { far, at: from + stop };
      }
    }
  }
  return best.at;
}

/**
 * The character at an offset of a row, as a range; null where the row ends before, and for a blank.
 *
 * @param {HTMLElement} row
 * @param {number} offset
 */
function characterAt(row, offset) {
  let left = offset;
  for (const child of row.childNodes) {
    const length = child.textContent?.length ?? 0;
    if (left < length) {
      const node = child.nodeType === Node.TEXT_NODE ? child : child.firstChild;
      if (!node || isBlank(node.textContent?.[left] ?? " ")) return null;
      const range = document.createRange();
      range.setStart(node, left);
      range.setEnd(node, left + 1);
      return range;
    }
    left -= length;
  }
  return null;
}
