/**
 * Moves boundaries by hand, in the columns that Python marks as editable: drag the bar at a chunk's start, merge, split,
 * undo. An edit is drawn at once and sent; what Python answers has the last word, and until it does, what was drawn stays.
 */

import { History, isBlank, moved, nextStop, redrawn, spansOf, split, stops } from "./boundaries.js";
import { make } from "./render.js";

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Doc} Doc */

/**
 * What is needed of the viewer.
 * @typedef {object} Host
 * @property {View | null} view
 * @property {Doc | null} doc
 * @property {number} column
 * @property {{column: number, chunk: number} | null} current
 * @property {HTMLElement} scroller
 * @property {import("./render.js").Renderer} renderer
 * @property {import("./card.js").Card} card
 * @property {import("./marks.js").Marks} marks
 * @property {(name: string, value: unknown) => void} send
 * @property {(text: string) => void} announce
 * @property {() => void} update
 * @property {() => void} light
 */

/**
 * @typedef {object} Column an editable column
 * @property {string} docId
 * @property {History} history
 * @property {import("./codec.js").Column} base as it came from Python last: what is known of chunks that stay
 * @property {string} sent name of the last edit sent, "" for none
 * @property {boolean} pending whether Python has not answered it yet
 */

const REACH = 6; // pixels around the bar that grab it
const EDGE = 28; // pixels from the edge of the visible part where dragging scrolls

/** Tells the edits of this page apart from those of the page before a reload. */
const session = Date.now().toString(36);
let edits = 0;

export class Editing {
  /**
   * @param {Host} host
   * @param {AbortSignal} signal
   */
  constructor(host, signal) {
    this.host = host;
    /** @type {Map<number, Column>} */
    this.columns = new Map();
    /** Where a split would be. @type {{column: number, at: number} | null} */
    this.caret = null;
    /** @type {{column: number, index: number, before: number[], now: number[], x: number, y: number, moved: boolean} | null} */
    this.drag = null;
    this.dropped = false;
    this.element = make("div", "toolbar editing");
    this.element.setAttribute("role", "toolbar");
    this.element.setAttribute("aria-label", "Edit the chunks by hand");
    this.element.hidden = true;
    this.element.dataset.testid = "editing";
    this.buttons = {
      split: this.#button("Split here", "s", () => this.split()),
      merge: this.#button("Merge with the one before", "Backspace", () => this.merge()),
      back: this.#button("‹ Start", "[", () => this.nudge(-1)),
      on: this.#button("Start ›", "]", () => this.nudge(1)),
      undo: this.#button("Undo", "Ctrl+Z", () => this.undo()),
      redo: this.#button("Redo", "Ctrl+Shift+Z", () => this.redo()),
    };
    this.element.append(make("span", "editing-hint", "Drag the bar at a chunk’s start, or click a word and split there."));
    this.#listen(signal);
  }

  /**
   * @param {string} text
   * @param {string} key
   * @param {() => void} act
   */
  #button(text, key, act) {
    const frame = make("span", "pair");
    const button = make("button", "editing-button", text);
    button.type = "button";
    button.addEventListener("click", () => (button.dataset.reason ? this.host.announce(button.dataset.reason) : act()));
    button.dataset.help = `${text.replace(/[‹›] ?| ?[‹›]/g, "")} (${key})`;
    if (text.includes("Start")) button.dataset.help = `Move this chunk’s start one word ${text[0] === "‹" ? "back" : "on"} (${key})`;
    button.setAttribute("aria-label", button.dataset.help);
    frame.append(button);
    this.element.append(frame);
    return button;
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string} reason why it can do nothing, "" if it can
   */
  #allow(button, reason) {
    button.setAttribute("aria-disabled", String(Boolean(reason)));
    button.dataset.reason = reason;
    button.title = reason || (button.dataset.help ?? "");
  }

  // --- what arrives -------------------------------------------------------------------------------------------------

  /**
   * A view has come; where it is older than what was drawn here, what was drawn stays.
   *
   * @param {Doc} doc
   * @param {View} view
   * @returns {View}
   */
  receive(doc, view) {
    this.drag = null;
    const columns = view.columns.map((column, at) => {
      if (column.edit === undefined) {
        this.columns.delete(at);
        return column;
      }
      const arrived = Array.from(column.starts.slice(1));
      const known = this.columns.get(at);
      if (!known || known.docId !== doc.id) {
        this.columns.set(at, { docId: doc.id, history: new History(arrived), base: column, sent: "", pending: false });
        return column;
      }
      known.base = column;
      if (known.pending && column.edit !== known.sent) {
        return redrawn(column, spansOf(doc.text, known.history.now));
      }
      if (known.pending) known.history.now = arrived;
      else if (!same(known.history.now, arrived)) known.history.push(arrived);
      known.pending = false;
      return column;
    });
    if (this.caret && (!this.columns.has(this.caret.column) || this.host.doc?.id !== doc.id)) this.caret = null;
    return { ...view, columns };
  }

  /** Bring the buttons up to date. */
  update() {
    this.element.hidden = this.columns.size === 0;
    if (this.element.hidden) return;
    const at = this.#column();
    const own = this.columns.get(at);
    const { current } = this.host;
    const chunk = current?.column === at ? current.chunk : null;
    const first = chunk === null ? "Click a chunk first." : chunk === 0 ? "The first chunk has no boundary before it." : "";
    this.#allow(this.buttons.split, this.caret ? "" : "Click the word that is to begin a chunk.");
    this.#allow(this.buttons.merge, first);
    this.#allow(this.buttons.back, first);
    this.#allow(this.buttons.on, first);
    this.#allow(this.buttons.undo, own?.history.past.length ? "" : "There is nothing to undo.");
    this.#allow(this.buttons.redo, own?.history.future.length ? "" : "There is nothing to do again.");
  }

  /** Underline the word before which a split would be. */
  light() {
    const { caret, host } = this;
    if (!caret || !host.doc) return host.marks.set("caret", []);
    const word = /^\S{1,40}/.exec(host.doc.text.slice(caret.at, caret.at + 40));
    return host.marks.set("caret", host.renderer.ranges(caret.column, caret.at, caret.at + (word ? word[0].length : 1)));
  }

  /** The column that buttons act on: the active one, else the first that can be edited. */
  #column() {
    if (this.columns.has(this.host.column)) return this.host.column;
    return Math.min(...this.columns.keys());
  }

  // --- edits --------------------------------------------------------------------------------------------------------

  /**
   * @param {number} at column
   * @param {number[]} boundaries
   */
  #draw(at, boundaries) {
    const { host } = this;
    const { view, doc } = host;
    const own = this.columns.get(at);
    if (!view || !doc || !own) return;
    const same = boundaries.length + 1 === view.columns[at].count; // a boundary moved: the chunk is still the same one
    const stay = host.current?.column === at && !same ? view.columns[at].starts[host.current.chunk] : null;
    host.view = host.renderer.recut(at, redrawn(own.base, spansOf(doc.text, boundaries)));
    if (stay !== null) {
      const chunk = boundaries.filter((start) => start <= stay).length;
      host.current = { column: at, chunk };
    }
  }

  /**
   * The boundaries of a column are others now: draw, remember and send them.
   *
   * @param {number} at
   * @param {number[]} boundaries
   * @param {string} said
   */
  #commit(at, boundaries, said) {
    const own = this.columns.get(at);
    if (!own) return;
    own.history.push(boundaries);
    this.#sent(at, own, said);
  }

  /**
   * @param {number} at
   * @param {Column} own
   * @param {string} said
   */
  #sent(at, own, said) {
    const { host } = this;
    own.sent = `${session}.${++edits}`;
    own.pending = true;
    host.card.hide();
    this.#draw(at, own.history.now);
    // All columns that wait for an answer, since a message that follows quickly replaces the one before.
    const columns = Array.from(this.columns, ([column, { history, sent, pending }]) => [column, pending ? { starts: history.now, name: sent } : null]);
    host.send("edited", { docId: own.docId, columns: Object.fromEntries(columns.filter(([, edit]) => edit)) });
    host.update();
    host.light();
    host.announce(said);
  }

  split() {
    const { caret, host } = this;
    const own = caret && this.columns.get(caret.column);
    if (!caret || !own || !host.doc) return host.announce("Click the word that is to begin a chunk.");
    const made = split(host.doc.text, own.history.now, caret.at);
    if (!made) return host.announce("A chunk starts here already.");
    host.column = caret.column;
    host.current = { column: caret.column, chunk: made.indexOf(caret.at) + 1 };
    this.caret = null;
    this.#commit(caret.column, made, "Split.");
    host.current = { column: caret.column, chunk: made.indexOf(caret.at) + 1 };
    host.update();
    return host.light();
  }

  /** Take the boundary away that the current chunk starts with. */
  merge() {
    const { current, host, own } = this.#chosen();
    if (!current || !own) return undefined;
    if (current.chunk === 0) return host.announce("The first chunk has no boundary before it.");
    const made = own.history.now.toSpliced(current.chunk - 1, 1);
    host.current = { column: current.column, chunk: current.chunk - 1 };
    return this.#commit(current.column, made, "Merged.");
  }

  /** @param {1 | -1} direction */
  nudge(direction) {
    const { current, host, own } = this.#chosen();
    if (!current || !own || !host.doc) return undefined;
    const index = current.chunk - 1;
    if (index < 0) return host.announce("The first chunk has no boundary before it.");
    const to = nextStop(host.doc.text, own.history.now[index], direction);
    const made = to === null ? null : moved(host.doc.text, own.history.now, index, to);
    if (!made) return host.announce("There is no word left to move over.");
    this.#commit(current.column, made, "Moved.");
    host.current = current;
    host.update();
    return host.light();
  }

  #chosen() {
    const { host } = this;
    const at = this.#column();
    const current = host.current?.column === at ? host.current : null;
    if (!current) host.announce("Choose a chunk first: click it, or press n.");
    return { host, current, own: this.columns.get(at) };
  }

  undo() {
    this.#step((history) => history.undo(), "Undone.", "There is nothing to undo.");
  }

  redo() {
    this.#step((history) => history.redo(), "Done again.", "There is nothing to do again.");
  }

  /**
   * @param {(history: History) => boolean} step
   * @param {string} said
   * @param {string} none
   */
  #step(step, said, none) {
    const at = this.#column();
    const own = this.columns.get(at);
    if (own && step(own.history)) this.#sent(at, own, said);
    else this.host.announce(none);
  }

  /**
   * Move the place of a split by a word.
   * @param {1 | -1} direction
   */
  #moveCaret(direction) {
    const { host } = this;
    const at = this.#column();
    if (!host.doc || !host.view) return;
    const start = host.current?.column === at ? host.view.columns[at].starts[host.current.chunk] : host.renderer.firstVisible();
    const from = this.caret?.column === at ? this.caret.at : start;
    const to = nextStop(host.doc.text, from, direction);
    if (to === null) return;
    this.caret = { column: at, at: to };
    host.renderer.reveal(at, to);
    host.update();
    host.light();
    const words = host.doc.text.slice(to, to + 40).replace(/\s+/g, " ");
    host.announce(`Split before: ${words}`);
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key was for editing
   */
  key(event) {
    if (!this.columns.size) return false;
    const act = this.#action(event);
    if (!act) return false;
    event.preventDefault();
    event.stopPropagation();
    act();
    return true;
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {(() => void) | undefined}
   */
  #action(event) {
    if (event.altKey) return undefined;
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() === "z") return event.shiftKey ? () => this.redo() : () => this.undo();
      return event.key.toLowerCase() === "y" ? () => this.redo() : undefined;
    }
    if (event.key === "Escape" && this.drag) return () => this.#cancel();
    if (!this.columns.has(this.host.column)) return undefined;
    /** @type {Record<string, () => void>} */
    const actions = {
      s: () => this.split(),
      Backspace: () => this.merge(),
      Delete: () => this.merge(),
      "[": () => this.nudge(-1),
      "]": () => this.nudge(1),
      ",": () => this.#moveCaret(-1),
      ".": () => this.#moveCaret(1),
    };
    return actions[event.key];
  }

  // --- the pointer --------------------------------------------------------------------------------------------------

  /** @param {AbortSignal} signal */
  #listen(signal) {
    const { scroller } = this.host;
    scroller.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    scroller.addEventListener("mousedown", (event) => this.drag && event.preventDefault(), { signal });
    scroller.addEventListener("pointermove", (event) => this.#move(event), { signal, passive: true });
    scroller.addEventListener("pointerup", () => this.#up(), { signal });
    scroller.addEventListener("pointercancel", () => this.#cancel(), { signal });
    // Letting go of a boundary is no click on what happens to be under it.
    scroller.addEventListener("click", (event) => this.dropped && event.stopImmediatePropagation(), { signal, capture: true });
    this.element.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  /**
   * A click on a word: there a split would be.
   *
   * @param {number} column
   * @param {MouseEvent} event
   */
  point(column, event) {
    this.caret = null;
    if (!this.columns.has(column)) return;
    const at = this.#placeAt(column, event, false);
    if (at !== null) this.caret = { column, at };
  }

  /**
   * The boundary that the pointer is on: its bar, or the chunk's number in the margin.
   * @param {PointerEvent} event
   */
  #grabbed(event) {
    if (!this.columns.size) return null;
    const root = /** @type {ShadowRoot | Document} */ (this.host.scroller.getRootNode());
    for (const right of [0, REACH]) {
      const target = root.elementFromPoint(event.clientX + right, event.clientY);
      const piece = target?.closest(".opens");
      const found = this.host.renderer.locate(target ?? null);
      if (!(piece instanceof HTMLElement) || !found || !this.columns.has(found.column)) continue;
      const chunk = Number((piece.dataset.chunk ?? "").split(" ").pop());
      const [rect] = piece.getClientRects();
      if (!rect || chunk === 0 || event.clientY < rect.top || event.clientY > rect.bottom) continue;
      const edge = getComputedStyle(piece).direction === "rtl" ? rect.right : rect.left;
      const row = piece.closest(".row")?.getBoundingClientRect();
      const inMargin = row && event.clientX < row.left;
      if (inMargin || Math.abs(event.clientX - edge) <= REACH) return { column: found.column, index: chunk - 1 };
    }
    return null;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.dropped = false;
    if (event.button !== 0 || event.pointerType === "touch") return;
    const grabbed = this.#grabbed(event);
    const own = grabbed && this.columns.get(grabbed.column);
    if (!grabbed || !own) return;
    const before = own.history.now;
    this.drag = { ...grabbed, before, now: before, x: event.clientX, y: event.clientY, moved: false };
    this.host.scroller.setPointerCapture(event.pointerId);
    this.host.scroller.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { drag, host } = this;
    if (!drag) {
      host.scroller.classList.toggle("at-cut", this.columns.size > 0 && this.#grabbed(event) !== null);
      return;
    }
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 3) return;
    drag.moved = true;
    host.scroller.classList.add("dragging");
    host.card.hide();
    const box = host.scroller.getBoundingClientRect();
    if (event.clientY > box.bottom - EDGE) host.scroller.scrollTop += 14;
    else if (event.clientY < box.top + host.renderer.tracks[drag.column].head.offsetHeight + EDGE) host.scroller.scrollTop -= 14;
    const at = this.#placeAt(drag.column, event, true);
    if (at === null || !host.doc || at === drag.now[drag.index]) return;
    const now = moved(host.doc.text, drag.before, drag.index, at);
    if (!now) return;
    drag.now = now;
    this.#draw(drag.column, now);
  }

  #up() {
    const { drag } = this;
    this.drag = null;
    this.dropped = Boolean(drag?.moved);
    this.host.scroller.classList.remove("dragging");
    if (!drag || same(drag.before, drag.now)) return;
    this.host.column = drag.column;
    this.#commit(drag.column, drag.now, "Moved.");
    this.host.current = { column: drag.column, chunk: drag.index + 1 };
    this.host.update();
    this.host.light();
  }

  #cancel() {
    const { drag } = this;
    this.drag = null;
    this.host.scroller.classList.remove("dragging");
    if (drag) this.#draw(drag.column, drag.before);
  }

  /**
   * The place a boundary may have that is nearest to the pointer; for a click, the word under it.
   *
   * @param {number} column
   * @param {MouseEvent} event with Shift: any character, not only the start of a word
   * @param {boolean} nearest
   * @returns {number | null} UTF-16 offset
   */
  #placeAt(column, event, nearest) {
    const { renderer, doc } = this.host;
    const track = renderer.tracks[column];
    if (!track || !doc) return null;
    let best = { far: Infinity, at: /** @type {number | null} */ (null) };
    for (const group of renderer.near) {
      const first = renderer.groups[group];
      for (const [i, row] of track.cells[group].rows.entries()) {
        const box = row.getBoundingClientRect();
        if (event.clientY < box.top - 12 || event.clientY > box.bottom + 12) continue;
        const from = renderer.rowStart(first + i);
        const rightToLeft = getComputedStyle(row).direction === "rtl";
        for (const stop of stops(doc.text.slice(from, renderer.rowStart(first + i + 1)), event.shiftKey)) {
          const [range] = rangesIn(row, stop);
          const rect = range?.getClientRects()[0];
          if (!rect) continue;
          const ahead = rightToLeft ? rect.right - event.clientX : event.clientX - rect.left; // > 0: the pointer is past it
          const above = Math.max(0, rect.top - event.clientY, event.clientY - rect.bottom);
          const beside = nearest ? Math.abs(ahead) : ahead >= -1 ? ahead : 10_000 - ahead;
          const far = above * 100_000 + beside;
          if (far < best.far) best = { far, at: from + stop };
        }
      }
    }
    return best.at;
  }
}

/**
 * The character at an offset of a row, as a range; none where the row ends before.
 *
 * @param {HTMLElement} row
 * @param {number} offset
 * @returns {Range[]}
 */
function rangesIn(row, offset) {
  let left = offset;
  for (const child of row.childNodes) {
    const length = child.textContent?.length ?? 0;
    if (left < length) {
      const node = child.nodeType === Node.TEXT_NODE ? child : child.firstChild;
      if (!node || isBlank(node.textContent?.[left] ?? " ")) return [];
      const range = document.createRange();
      range.setStart(node, left);
      range.setEnd(node, left + 1);
      return [range];
    }
    left -= length;
  }
  return [];
}

/**
 * @param {number[]} a
 * @param {number[]} b
 */
function same(a, b) {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
