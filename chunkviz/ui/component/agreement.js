/**
 * Who else cuts where a column cuts: a mark at the start of each chunk, a line on its card, and words for a difference.
 *
 * Two starts are the same if only white space lies between them, as in `differences.differences` and in
 * `metrics/agreement.py`, whose numbers the page shows below the columns.
 */

import { nextInk } from "./boundaries.js";
import { lastOf } from "./core.js";
import { make } from "./make.js";

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Column} Column */

/**
 * For each place where a chunk starts, which columns start one there: bit i for column i. First chunks are left out.
 *
 * @param {string} text
 * @param {{starts: ArrayLike<number>}[]} columns
 * @returns {Map<number, number>}
 */
export function shared(text, columns) {
  /** @type {Map<number, number>} */
  const found = new Map();
  columns.forEach((column, at) => {
    const first = column.starts.length ? nextInk(text, column.starts[0]) : 0;
    for (let i = 1; i < column.starts.length; i++) {
      const place = nextInk(text, column.starts[i]);
      if (place > first && place < text.length) found.set(place, (found.get(place) ?? 0) | (1 << at));
    }
  });
  return found;
}

/** @param {string[]} names */
const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;

/**
 * Which columns start a chunk at a place, in words.
 *
 * @param {number} mask
 * @param {{title: string}[]} columns
 */
export function inWords(mask, columns) {
  const names = columns.map((column, at) => (columns.filter((c) => c.title === column.title).length > 1 ? `${column.title} (column ${at + 1})` : column.title));
  const here = names.filter((_, at) => mask & (1 << at));
  if (here.length === columns.length) return "all columns cut here";
  if (here.length === 0) return "a chunk ends here, and none starts";
  return here.length === 1 ? `only ${here[0]} cuts here` : `${listed(here)} cut here`;
}

/**
 * "all" columns cut there, only "one" does, or "some".
 *
 * @param {number} mask
 * @param {number} columns how many there are
 */
export function kindOf(mask, columns) {
  if (mask === 2 ** columns - 1) return "all";
  return (mask & (mask - 1)) === 0 ? "one" : "some";
}

export class Agreement {
  /** @type {View | null} */
  view = null;
  text = "";
  /** @type {Map<number, number>} */
  masks = new Map();

  /**
   * @param {View} view
   * @param {string} text
   */
  #learn(view, text) {
    if (this.view === view && this.text === text) return;
    this.view = view;
    this.text = text;
    this.masks = view.columns.length > 1 ? shared(text, view.columns) : new Map();
  }

  /**
   * Mark the starts of chunks that are painted.
   *
   * @param {View} view
   * @param {string} text
   * @param {import("./render.js").Renderer} renderer
   */
  mark(view, text, renderer) {
    this.#learn(view, text);
    renderer.tracks.forEach((track, at) => {
      const column = view.columns[at];
      if (!column) return;
      for (const group of renderer.near) {
        for (const piece of track.cells[group]?.element.querySelectorAll(".opens") ?? []) {
          const element = /** @type {HTMLElement} */ (piece);
          const chunk = lastOf(element.dataset.chunk);
          const mask = this.masks.get(nextInk(text, column.starts[chunk]));
          if (chunk === 0 || !mask) delete element.dataset.agree;
          else element.dataset.agree = kindOf(mask, view.columns.length);
        }
      }
    });
  }

  /**
   * A line for the card of a chunk: who else starts one where it starts.
   *
   * @param {View} view
   * @param {string} text
   * @param {number} column
   * @param {number} chunk
   * @returns {Node[]}
   */
  about(view, text, column, chunk) {
    this.#learn(view, text);
    const mask = chunk > 0 ? this.masks.get(nextInk(text, view.columns[column].starts[chunk])) : undefined;
    if (!mask) return [];
    const element = make("div", "line");
    element.append(make("span", "label", "Agreement"), make("span", "value", inWords(mask, view.columns)));
    return [element];
  }

  /**
   * What to say of a place where the columns differ.
   *
   * @param {View} view
   * @param {string} text
   * @param {number} position
   */
  say(view, text, position) {
    this.#learn(view, text);
    return inWords(this.masks.get(position) ?? 0, view.columns);
  }
}
