/** What is said about chunks, in one place: the card, the toolbar and the screen reader say the same. */

/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").Column} Column */

/** @param {number} value */
export const number = (value) => value.toLocaleString("en");

/**
 * @param {number} count
 * @param {string} word in the singular
 */
export const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

/**
 * @param {Column} column
 * @param {number} chunk
 */
export function size(column, chunk) {
  const count = column.tokens[chunk];
  if (Number.isNaN(count)) return "being counted"; // a chunk that was made by hand a moment ago
  return `${number(count)} ${count === 1 ? column.word.replace(/s$/, "") : column.word}`;
}

/**
 * @param {Column} column
 * @param {number} chunk
 */
export const name = (column, chunk) => `Chunk ${number(chunk + 1)} of ${number(column.count)}`;

/**
 * Why a chunk ends where it ends.
 * @param {Column} column
 * @param {number} chunk
 */
export const ending = (column, chunk) => column.endingOf?.(chunk) ?? column.reasons[column.reason[chunk]];

/**
 * Why a chunk starts where it starts: because the one before it ended.
 * @param {Column} column
 * @param {number} chunk
 */
export function beginning(column, chunk) {
  if (chunk === 0) return "start of the document";
  const shared = column.ends[chunk - 1] > column.starts[chunk];
  return `chunk ${number(chunk)} ended: ${ending(column, chunk - 1)}${shared ? "; it starts earlier to overlap with it" : ""}`;
}

/**
 * @param {Doc} doc
 * @param {Column} column
 * @param {number} chunk
 * @returns {string} "" for a document without pages
 */
export function pages(doc, column, chunk) {
  const first = column.pageFirst[chunk];
  const last = column.pageLast[chunk];
  if (!first) return "";
  const label = (/** @type {number} */ page) => doc.pages.find(([n]) => n === page)?.[1] ?? String(page);
  return first === last ? `page ${label(first)}` : `pages ${label(first)} to ${label(last)}`;
}

/**
 * One line for a screen reader.
 * @param {Column} column
 * @param {number} chunk
 */
export function spoken(column, chunk) {
  const flags = (column.flags.get(chunk) ?? []).map((flag) => ` ${flag.name}: ${flag.reason}.`).join("");
  return `${name(column, chunk)}, ${size(column, chunk)}. Ends: ${ending(column, chunk)}.${flags}`;
}
