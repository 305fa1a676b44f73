/**
 * Puts the document into the page, once per column, and paints the chunks over it.
 *
 * All text is in the page as plain text, so that searching, selecting, printing and screen readers work. It stands in
 * rows (paragraphs), the rows in groups; groups out of sight are skipped by the browser (`content-visibility`), and
 * pieces of chunks exist only in groups near the visible part. A new cut rewrites the groups near by whose pieces
 * really changed. The columns stand in one grid, group beside group, so they scroll together without any code.
 *
 * This file knows which groups are near and what is painted in them; how rows and pieces are made is in rows.js, what
 * stands at the top of a column in column-head.js, and how a place comes into sight in sight.js.
 */

import { chunkColors } from "./colors.js";
import { describe, recount } from "./column-head.js";
import { groupRows, pieces, signature, upTo } from "./core.js";
import { make } from "./make.js";
import { makeCell, makePiece, placeIn, rowStart, visible } from "./rows.js";

/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Column} Column */
/** @typedef {import("./rows.js").Cell} Cell */

const NEAR = "700px 0px"; // how far outside the visible part groups are painted

/**
 * @typedef {object} Track one column in the page
 * @property {HTMLElement} element
 * @property {HTMLElement} head
 * @property {Cell[]} cells
 * @property {Uint8Array} colors
 */

export class Renderer {
  /**
   * @param {HTMLElement} scroller the element that scrolls; it is filled and kept
   * @param {() => void} painted called after groups were painted anew: ranges into them have to be made again
   */
  constructor(scroller, painted) {
    this.scroller = scroller;
    this.painted = painted;
    this.grid = make("div", "grid");
    scroller.append(this.grid);
    /** @type {Doc | null} */
    this.doc = null;
    /** @type {View | null} */
    this.view = null;
    /** @type {number[]} */
    this.groups = [];
    /** @type {Track[]} */
    this.tracks = [];
    /** @type {Set<number>} */
    this.near = new Set();
    /** @type {WeakMap<Element, number>} */
    this.groupOf = new WeakMap();
    this.observer = new IntersectionObserver((entries) => this.#seen(entries), { root: scroller, rootMargin: NEAR });
  }

  destroy() {
    this.observer.disconnect();
    this.grid.remove();
  }

  /**
   * Show a view of a document. Only what differs from what is shown already is touched; the scroll position stays
   * where the document does.
   *
   * @param {Doc} doc
   * @param {View} view
   * @returns {boolean} whether the document in the page is another one than before
   */
  show(doc, view) {
    const fresh = this.doc?.id !== doc.id;
    if (fresh) this.#clear(doc);
    this.view = view;
    while (this.tracks.length > view.columns.length) this.#removeTrack();
    while (this.tracks.length < view.columns.length) this.#addTrack();
    this.grid.style.setProperty("--columns", String(view.columns.length));
    view.columns.forEach((column, at) => {
      this.tracks[at].colors = chunkColors(column.starts, column.ends);
      describe(this.tracks[at], column, at, doc.text.length);
    });
    if (fresh) {
      this.scroller.scrollTop = 0;
      // Until the browser has said what is in sight, it is the beginning.
      for (let group = 0; group < Math.min(3, this.groups.length); group++) this.near.add(group);
    }
    for (const track of this.tracks) this.#forget(track);
    this.#repaint();
    return fresh;
  }

  /** @param {Doc} doc */
  #clear(doc) {
    while (this.tracks.length) this.#removeTrack();
    this.doc = doc;
    this.near.clear();
    this.groups = groupRows(doc.rowStarts, doc.text.length);
    this.grid.style.setProperty("--groups", String(this.groups.length));
  }

  #removeTrack() {
    const track = this.tracks.pop();
    if (this.tracks.length === 0) this.observer.disconnect();
    track?.element.remove();
  }

  #addTrack() {
    const element = make("section", "column");
    const head = make("header", "head");
    element.append(head);
    /** @type {Track} */
    const track = { element, head, cells: [], colors: new Uint8Array(0) };
    for (let group = 0; group < this.groups.length; group++) {
      const { first, last } = this.#rowsOf(group);
      const cell = makeCell(this.#doc, first, last);
      this.groupOf.set(cell.element, group);
      track.cells.push(cell);
    }
    element.append(...track.cells.map((cell) => cell.element));
    this.grid.append(element);
    // The first column stands for all: a group is at the same height in each.
    if (this.tracks.length === 0) for (const cell of track.cells) this.observer.observe(cell.element);
    this.tracks.push(track);
  }

  /**
   * The rows of a group: from row to row, and their offsets.
   * @param {number} group
   */
  #rowsOf(group) {
    const first = this.groups[group];
    const last = group + 1 < this.groups.length ? this.groups[group + 1] : this.#doc.rowStarts.length;
    return { first, last };
  }

  get #doc() {
    if (!this.doc) throw new Error("The viewer has no document yet.");
    return this.doc;
  }

  /** @param {number} row */
  rowStart(row) {
    return rowStart(this.#doc, row);
  }

  /**
   * One column was cut anew, the others and the document are what they were: for a threshold that is dragged.
   *
   * @param {number} at
   * @param {Column} column
   */
  recut(at, column) {
    const view = /** @type {View} */ (this.view);
    this.view = { ...view, columns: view.columns.map((old, i) => (i === at ? column : old)) };
    const track = this.tracks[at];
    track.colors = chunkColors(column.starts, column.ends);
    recount(track, column);
    this.#forget(track);
    this.#repaint();
    return this.view;
  }

  /**
   * What was painted further away shows the old chunks; it goes back to plain text until it is near again.
   * @param {Track} track
   */
  #forget(track) {
    for (let group = 0; group < this.groups.length; group++) {
      if (!this.near.has(group) && track.cells[group].signature !== 0) this.#plain(track.cells[group], group);
    }
  }

  #repaint() {
    for (const group of this.near) this.paint(group);
    this.painted();
  }

  /**
   * Count a group as near before the browser says that it is.
   * @param {number} group
   */
  paintNear(group) {
    this.near.add(group);
    this.paint(group);
    this.painted();
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const entry of entries) {
      const group = this.groupOf.get(entry.target);
      if (group === undefined) continue;
      if (entry.isIntersecting) {
        this.near.add(group);
        this.paint(group);
      } else {
        this.near.delete(group);
      }
    }
    this.painted();
  }

  /**
   * Paint the chunks of one group in every column, where they are not painted yet.
   * @param {number} group
   */
  paint(group) {
    if (!this.view) return;
    const { first, last } = this.#rowsOf(group);
    const from = this.rowStart(first);
    const to = this.rowStart(last);
    const { text } = this.#doc;
    this.tracks.forEach((track, at) => {
      const column = /** @type {View} */ (this.view).columns[at];
      const cell = track.cells[group];
      const all = pieces(column, from, to);
      const mark = signature(all, track.colors) || 1;
      if (cell.signature === mark) return;
      cell.signature = mark;
      let i = 0;
      for (let row = first; row < last; row++) {
        const end = this.rowStart(row + 1);
        const content = document.createDocumentFragment();
        for (; i < all.length && all[i].start < end; i++) {
          content.append(makePiece(text, column, track.colors, all[i], this.rowStart(row), end));
          if (all[i].end > end) break; // the rest of the piece is in the next row
        }
        cell.rows[row - first].replaceChildren(content);
      }
    });
  }

  /** Paint everything, for printing. */
  paintAll() {
    for (let group = 0; group < this.groups.length; group++) this.paint(group);
  }

  /**
   * @param {Cell} cell
   * @param {number} group
   */
  #plain(cell, group) {
    const { first } = this.#rowsOf(group);
    cell.rows.forEach((element, i) => {
      element.textContent = visible(this.#doc.text.slice(this.rowStart(first + i), this.rowStart(first + i + 1)));
    });
    cell.signature = 0;
  }

  /**
   * The group that holds `position`.
   * @param {number} position
   */
  groupAt(position) {
    const row = Math.max(0, upTo(this.#doc.rowStarts, position) - 1);
    return Math.max(0, upTo(this.groups, row) - 1);
  }

  /**
   * Ranges of the page that show `[start, end)` in one column, in the groups near by only.
   *
   * @param {number} at column
   * @param {number} start
   * @param {number} end
   * @returns {Range[]}
   */
  ranges(at, start, end) {
    /** @type {Range[]} */
    const found = [];
    if (start >= end) return found;
    const lastGroup = this.groupAt(end - 1);
    for (let group = this.groupAt(start); group <= lastGroup; group++) {
      if (!this.near.has(group)) continue;
      const { first, last } = this.#rowsOf(group);
      for (let row = first; row < last; row++) {
        const rowFrom = this.rowStart(row);
        const from = Math.max(start, rowFrom);
        const to = Math.min(end, this.rowStart(row + 1));
        if (from >= to) continue;
        const element = this.tracks[at].cells[group].rows[row - first];
        const range = document.createRange();
        const head = placeIn(element, from - rowFrom, false);
        const tail = placeIn(element, to - rowFrom, true);
        range.setStart(head.node, head.offset);
        range.setEnd(tail.node, tail.offset);
        found.push(range);
      }
    }
    return found;
  }

  /**
   * Where an event happened: the column, and the piece under it if there is one.
   * @param {EventTarget | null} target
   */
  locate(target) {
    if (!(target instanceof Element)) return null;
    const column = target.closest("[data-column]");
    if (!(column instanceof HTMLElement)) return null;
    const piece = target.closest("[data-chunk]");
    return { column: Number(column.dataset.column), piece: piece instanceof HTMLElement ? piece : null };
  }
}
