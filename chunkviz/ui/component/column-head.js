/** What stands at the top of a column and is said of it: the strategy, how many chunks it made, what to know of it. */

import { make } from "./make.js";
import { plural } from "./words.js";

/** @typedef {import("./codec.js").Column} Column */
/** @typedef {import("./render.js").Track} Track */

const DENSE = 220; // units a chunk, on average, below which several start in one line

/** @param {Column} column */
const count = (column) => plural(column.count, "chunk");

/**
 * Whether chunks are so short that their numbers stand at the start, not in the margin.
 *
 * @param {number} chunks how many there are
 * @param {number} length of the text
 */
export const isDense = (chunks, length) => length / chunks < DENSE;

/**
 * A column that came from Python.
 *
 * @param {Track} track
 * @param {Column} column
 * @param {number} at which column it is
 * @param {number} length of the text
 */
export function describe({ element, head }, column, at, length) {
  element.dataset.column = String(at);
  element.dataset.strategy = column.strategy;
  element.classList.toggle("dense", isDense(column.count, length));
  const title = make("div", "title");
  title.append(make("strong", "", column.title), make("span", "count", count(column)));
  const subtitle = make("div", "subtitle", column.subtitle);
  subtitle.title = column.subtitle;
  head.replaceChildren(title, subtitle);
  if (column.notes.length) {
    const notes = make("div", "notes", column.notes.join(" "));
    notes.title = column.notes.join("\n");
    head.append(notes);
  }
  name(element, column);
}

/**
 * A column that was cut again in the browser: only what that changes.
 *
 * @param {Track} track
 * @param {Column} column
 */
export function recount({ element, head }, column) {
  name(element, column);
  const number = head.querySelector(".count");
  if (number) number.textContent = count(column);
  const subtitle = head.querySelector(".subtitle");
  if (subtitle) subtitle.textContent = column.subtitle;
}

/**
 * @param {HTMLElement} element
 * @param {Column} column
 */
function name(element, column) {
  element.dataset.count = String(column.count);
  element.setAttribute("aria-label", `${column.title}, ${count(column)}`);
}
