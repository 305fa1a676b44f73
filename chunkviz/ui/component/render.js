/**
 * Puts the document into the page, once per column, and paints the chunks over it.
 *
 * All text is in the page as plain text, so that searching, selecting, printing and screen readers work. It stands in
 * rows (paragraphs), the rows in groups; groups out of sight are skipped by the browser (`content-visibility`), and
 * pieces of chunks exist only in groups near the visible part. A new cut rewrites the groups near by whose pieces
 * really changed. The columns stand in one grid, group beside group, so they scroll together without any code.
 *
 * Whatever marks a chunk must not move a letter (backgrounds, shadows, underlines, numbers outside the flow), or the
 * columns would no longer break lines at the same places.
 */

import { chunkColors } from "./colors.js";
import { groupRows, idsOf, pieces, signature, upTo } from "./core.js";

/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Column} Column */

const KINDS = ["plain", "h1", "h2", "h3", "h4", "h5", "h6", "code", "table", "list", "equation"];
const NEAR = "700px 0px"; // how far outside the visible part groups are painted
const CODE = 7;

/**
 * @typedef {object} Cell one group in one column
 * @property {HTMLElement} element
 * @property {HTMLElement[]} rows
 * @property {number} signature of what is painted, 0 for plain text
 */

/**
 * @typedef {object} Track one column in the page
 * @property {HTMLElement} element
 * @property {HTMLElement} head
 * @property {Cell[]} cells
 * @property {Uint8Array} colors
 */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

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
    view.columns.forEach((column, at) => this.#describe(this.tracks[at], column, at));
    if (fresh) {
      this.scroller.scrollTop = 0;
      // Until the browser has said what is in sight, it is the beginning.
      for (let group = 0; group < Math.min(3, this.groups.length); group++) this.near.add(group);
    }
    for (const track of this.tracks) {
      for (let group = 0; group < this.groups.length; group++) {
        if (this.near.has(group)) continue;
        // What was painted further away shows the old chunks; it goes back to plain text until it is near again.
        if (track.cells[group].signature !== 0) this.#plain(track.cells[group], group);
      }
    }
    for (const group of this.near) this.paint(group);
    this.painted();
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
    for (let group = 0; group < this.groups.length; group++) track.cells.push(this.#makeCell(group));
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
    return row < this.#doc.rowStarts.length ? this.#doc.rowStarts[row] : this.#doc.text.length;
  }

  /** @param {number} group */
  #makeCell(group) {
    const doc = this.#doc;
    const { first, last } = this.#rowsOf(group);
    const element = make("div", "group");
    const rows = [];
    let lines = 0;
    for (let row = first; row < last; row++) {
      const start = doc.rowStarts[row];
      const end = this.rowStart(row + 1);
      const element = make("div", `row ${KINDS[doc.rowKinds[row]]}`);
      element.textContent = doc.text.slice(start, end);
      element.dir = doc.rowKinds[row] === CODE ? "ltr" : "auto";
      // A paragraph that was parted because it is long runs on in the same line.
      if (endsOpen(doc.text, end) || (row > first && endsOpen(doc.text, start))) element.classList.add("flow");
      const page = upTo(doc.pageStarts, end - 1) - 1;
      if (page >= 0 && doc.pageStarts[page] >= start) element.dataset.page = doc.pages[page][1];
      lines += 1 + (end - start) / 60;
      rows.push(element);
    }
    element.append(...rows);
    element.style.setProperty("--guess", `${Math.round(lines * 24)}px`);
    this.groupOf.set(element, group);
    return { element, rows, signature: 0 };
  }

  /**
   * @param {Track} track
   * @param {Column} column
   * @param {number} at
   */
  #describe(track, column, at) {
    const { element, head } = track;
    track.colors = chunkColors(column.starts, column.ends);
    element.dataset.column = String(at);
    element.dataset.strategy = column.strategy;
    element.dataset.count = String(column.count);
    element.setAttribute("aria-label", `${column.title}, ${column.count.toLocaleString("en")} chunks`);
    // Short chunks start several times in one line: their numbers stand at the start, not in the margin.
    const spread = column.count ? this.#doc.text.length / column.count : Infinity;
    element.classList.toggle("dense", spread < 220);
    const count = make("span", "count", `${column.count.toLocaleString("en")} ${column.count === 1 ? "chunk" : "chunks"}`);
    const title = make("div", "title");
    title.append(make("strong", "", column.title), count);
    const subtitle = make("div", "subtitle", column.subtitle);
    subtitle.title = column.subtitle;
    head.replaceChildren(title, subtitle);
    if (column.notes.length) {
      const notes = make("div", "notes", column.notes.join(" "));
      notes.title = column.notes.join("\n");
      head.append(notes);
    }
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
    const { element } = track;
    element.dataset.count = String(column.count);
    element.setAttribute("aria-label", `${column.title}, ${column.count.toLocaleString("en")} chunks`);
    const count = track.head.querySelector(".count");
    if (count) count.textContent = `${column.count.toLocaleString("en")} ${column.count === 1 ? "chunk" : "chunks"}`;
    const subtitle = track.head.querySelector(".subtitle");
    if (subtitle) subtitle.textContent = column.subtitle;
    for (let group = 0; group < this.groups.length; group++) {
      if (!this.near.has(group) && track.cells[group].signature !== 0) this.#plain(track.cells[group], group);
    }
    for (const group of this.near) this.paint(group);
    this.painted();
    return this.view;
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
          content.append(this.#piece(column, track.colors, all[i], this.rowStart(row), end));
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
      element.textContent = this.#doc.text.slice(this.rowStart(first + i), this.rowStart(first + i + 1));
    });
    cell.signature = 0;
  }

  /**
   * @param {Column} column
   * @param {Uint8Array} colors
   * @param {import("./core.js").Piece} piece
   * @param {number} rowStart
   * @param {number} rowEnd
   * @returns {Node}
   */
  #piece(column, colors, piece, rowStart, rowEnd) {
    const start = Math.max(piece.start, rowStart);
    const text = this.#doc.text.slice(start, Math.min(piece.end, rowEnd));
    if (piece.last < piece.first) {
      if (piece.dropped < 0) return document.createTextNode(text);
      const gone = make("s", "dropped", text);
      gone.title = `Left out: ${column.dropped.reasons[piece.dropped]}`;
      return gone;
    }
    const element = make("span", `c${colors[piece.first]}`, text);
    element.dataset.chunk = idsOf(piece);
    if (piece.first < piece.last) element.className = `overlap a${colors[piece.first]} b${colors[piece.last]}`;
    if (piece.opens && start === piece.start) {
      element.classList.add("opens");
      element.dataset.number = String(piece.last + 1); // people count from one; data-chunk is the index
    }
    return element;
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
        const rowStart = this.rowStart(row);
        const from = Math.max(start, rowStart);
        const to = Math.min(end, this.rowStart(row + 1));
        if (from >= to) continue;
        const element = this.tracks[at].cells[group].rows[row - first];
        const range = document.createRange();
        const head = place(element, from - rowStart, false);
        const tail = place(element, to - rowStart, true);
        range.setStart(head.node, head.offset);
        range.setEnd(tail.node, tail.offset);
        found.push(range);
      }
    }
    return found;
  }

  /**
   * Bring `position` into sight, a quarter below the top of the visible part.
   *
   * Heights of groups that were never shown are guesses, so the first jump may miss; it is mended in the next frames.
   *
   * @param {number} at column
   * @param {number} position
   * @param {boolean} [always] also where it is in sight already
   */
  reveal(at, position, always = false) {
    const group = this.groupAt(position);
    const wanted = ++this.reveals;
    const settle = (/** @type {number} */ tries) => {
      if (wanted !== this.reveals || !this.tracks[at]) return;
      this.near.add(group);
      this.paint(group);
      this.painted();
      const [range] = this.ranges(at, position, position + 1);
      const target = range ?? this.tracks[at].cells[group].element;
      const box = this.scroller.getBoundingClientRect();
      const rect = target.getBoundingClientRect();
      const headHeight = this.tracks[at].head.offsetHeight;
      const seen = rect.top >= box.top + headHeight && rect.bottom <= box.bottom - 24;
      if (!seen || (always && tries === 3)) {
        this.scroller.scrollTop += rect.top - box.top - headHeight - box.height / 5;
      }
      const side = this.tracks[at].element.getBoundingClientRect();
      if (side.left < box.left || side.right > box.right) this.scroller.scrollLeft += side.left - box.left;
      if (tries > 0) requestAnimationFrame(() => settle(tries - 1));
    };
    settle(3);
  }

  reveals = 0;

  /** The offset of the first row that can be seen, for "next from here". */
  firstVisible() {
    const box = this.scroller.getBoundingClientRect();
    const track = this.tracks[0];
    if (!track) return 0;
    const top = box.top + track.head.offsetHeight;
    for (const group of Array.from(this.near).sort((a, b) => a - b)) {
      const { first } = this.#rowsOf(group);
      for (const [i, row] of track.cells[group].rows.entries()) {
        if (row.getBoundingClientRect().bottom > top) return this.rowStart(first + i);
      }
    }
    return 0;
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

/**
 * Whether the text does not break its line right before `position`.
 * @param {string} text
 * @param {number} position
 */
function endsOpen(text, position) {
  if (position <= 0 || position >= text.length) return false;
  const before = text[position - 1];
  return before !== "\n" && before !== "\r";
}

/**
 * The text node of a row that holds its character at `offset`, and where in that node.
 *
 * @param {HTMLElement} row
 * @param {number} offset
 * @param {boolean} asEnd at the seam of two nodes: the end of the first instead of the start of the second
 * @returns {{node: Node, offset: number}}
 */
function place(row, offset, asEnd) {
  let left = offset;
  for (const child of row.childNodes) {
    const length = child.textContent?.length ?? 0;
    if (left < length || (asEnd && left === length)) {
      const node = child.nodeType === Node.TEXT_NODE ? child : (child.firstChild ?? child);
      return { node, offset: left };
    }
    left -= length;
  }
  return { node: row, offset: row.childNodes.length };
}
