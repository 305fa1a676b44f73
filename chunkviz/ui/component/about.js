/** Puts into the card what is known of the chunk that is pointed at or current, and the card to where it belongs. */

import { aboutChunk, aboutCut } from "./card.js";

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./moving.js").Place} Place */
/** @typedef {{x: number, y: number}} Point in the window */

/**
 * What is needed of the viewer.
 * @typedef {object} Host
 * @property {{view: View, doc: Doc}} shown
 * @property {Place | null} current
 * @property {HTMLElement} scroller
 * @property {import("./render.js").Renderer} renderer
 * @property {import("./card.js").Card} card
 * @property {import("./agreement.js").Agreement} agreement
 */

const BESIDE = { x: 40, y: 80 }; // pixels into the columns, where the chunk itself is not in the page

export class About {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
  }

  /**
   * The chunk, or the cut, under the pointer.
   *
   * @param {number} column
   * @param {HTMLElement} piece
   * @param {boolean} cut whether the cut at the piece's start is meant
   * @param {Point} spot
   * @param {boolean} pinned
   */
  point(column, piece, cut, spot, pinned) {
    const { shown, agreement, card } = this.host;
    const { view, doc } = shown;
    const own = view.columns[column];
    const ids = (piece.dataset.chunk ?? "").split(" ").map(Number);
    const chunk = ids[ids.length - 1];
    const about = cut ? aboutCut(own, chunk) : aboutChunk(doc, own, chunk, { first: ids[0], last: chunk });
    card.show([...about, ...agreement.about(view, doc.text, column, chunk)], spot, pinned);
  }

  /** The current chunk, in a card that stays; nothing where there is none. */
  pin() {
    const { current, shown, card } = this.host;
    if (!current) return;
    const { view, doc } = shown;
    card.show(aboutChunk(doc, view.columns[current.column], current.chunk), this.#spot(current), true);
  }

  /** Another chunk is current: a card that stays is about that one now, any other has nothing to say. */
  follow() {
    const { card } = this.host;
    if (card.open && card.pinned) this.pin();
    else card.hide();
  }

  /**
   * Where the card goes when no pointer says so: below a chunk's first character.
   *
   * @param {Place} place
   * @returns {Point}
   */
  #spot({ column, chunk }) {
    const { scroller, renderer, shown } = this.host;
    const start = shown.view.columns[column].starts[chunk];
    const [range] = renderer.ranges(column, start, start + 1);
    const rect = range?.getBoundingClientRect();
    if (rect) return { x: rect.left, y: rect.bottom };
    const box = scroller.getBoundingClientRect();
    return { x: box.left + BESIDE.x, y: box.top + BESIDE.y };
  }
}
