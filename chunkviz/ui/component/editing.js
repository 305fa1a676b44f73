/**
 * Moves boundaries by hand, in the columns that Python marks as editable: drag the grip at a chunk's start, merge, split,
 * undo. An edit is drawn at once and sent; what Python answers has the last word, and until it does, what was drawn stays.
 */

import { moved, nextStop, redrawn, spansOf, split } from "./boundaries.js";
import { Buttons, commandOf } from "./editing-buttons.js";
import { Drag } from "./editing-drag.js";
import { placeAt } from "./editing-places.js";
import { Edits, same } from "./editing-state.js";

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./boundaries.js").History} History */

/**
 * What is needed of the viewer.
 * @typedef {object} Host
 * @property {View | null} view
 * @property {Doc | null} doc
 * @property {number} column
 * @property {{column: number, chunk: number} | null} current
 * @property {HTMLElement} scroller
 * @property {import("./render.js").Renderer} renderer
 * @property {import("./sight.js").Sight} sight
 * @property {import("./card.js").Card} card
 * @property {import("./marks.js").Marks} marks
 * @property {(name: string, value: unknown) => void} send
 * @property {(text: string) => void} announce
 * @property {() => void} update
 * @property {() => void} light
 */

const NO_WORD = "Click the word that is to begin a chunk.";
const FIRST = "The first chunk has no boundary before it.";
const NOTHING_BACK = "There is nothing to undo.";
const NOTHING_AGAIN = "There is nothing to do again.";

export class Editing {
  /**
   * @param {Host} host
   * @param {AbortSignal} signal
   */
  constructor(host, signal) {
    this.host = host;
    this.edits = new Edits(Date.now().toString(36));
    /** Where a split would be. @type {{column: number, at: number} | null} */
    this.caret = null;
    /** @type {Record<import("./editing-buttons.js").KeyCommand, () => void>} */
    this.commands = {
      split: () => this.split(),
      merge: () => this.merge(),
      back: () => this.nudge(-1),
      on: () => this.nudge(1),
      undo: () => this.#step((history) => history.undo(), "Undone.", NOTHING_BACK),
      redo: () => this.#step((history) => history.redo(), "Done again.", NOTHING_AGAIN),
      before: () => this.#moveCaret(-1),
      after: () => this.#moveCaret(1),
    };
    this.buttons = new Buttons((command) => this.commands[command](), host.announce.bind(host));
    this.element = this.buttons.element;
    this.element.addEventListener("keydown", (event) => this.key(event), { signal });
    this.drag = new Drag(host, this.edits, { draw: this.#draw.bind(this), drop: this.#dropped.bind(this) }, signal);
  }

  // --- what arrives -------------------------------------------------------------------------------------------------

  /**
   * A view has come; where it is older than what was drawn here, what was drawn stays, and so does a boundary that is
   * held.
   *
   * @param {Doc} doc
   * @param {View} view
   * @returns {View}
   */
  receive(doc, view) {
    const shown = this.edits.receive(doc, view);
    const { held } = this.drag;
    if (held) {
      const own = this.edits.columns.get(held.column);
      if (own && this.host.doc?.id === doc.id && same(own.history.now, held.before)) {
        shown.columns[held.column] = redrawn(own.base, spansOf(doc.text, held.now));
      } else {
        this.drag.forget();
      }
    }
    if (this.caret && (!this.edits.columns.has(this.caret.column) || this.host.doc?.id !== doc.id)) this.caret = null;
    return shown;
  }

  /** Bring buttons and grips up to date. */
  update() {
    const { host, edits } = this;
    host.renderer.tracks.forEach(({ element }, at) => element.classList.toggle("by-hand", edits.columns.has(at)));
    this.drag.update();
    const at = edits.target(host.column);
    const own = at === null ? undefined : edits.columns.get(at);
    this.element.hidden = !own;
    if (!own) return;
    const { current } = host;
    const chunk = current?.column === at ? current.chunk : null;
    const start = chunk === null ? "Click a chunk first." : chunk === 0 ? FIRST : "";
    this.buttons.update({
      split: this.caret ? "" : NO_WORD,
      merge: start,
      back: start,
      on: start,
      undo: own.history.past.length ? "" : NOTHING_BACK,
      redo: own.history.future.length ? "" : NOTHING_AGAIN,
    });
  }

  /** Underline the word before which a split would be. */
  light() {
    const { caret, host } = this;
    if (!caret || !host.doc) return host.marks.set("caret", []);
    const word = /^\S{1,40}/.exec(host.doc.text.slice(caret.at, caret.at + 40));
    return host.marks.set("caret", host.renderer.ranges(caret.column, caret.at, caret.at + (word ? word[0].length : 1)));
  }

  // --- edits --------------------------------------------------------------------------------------------------------

  /**
   * @param {number} at column
   * @param {number[]} boundaries
   */
  #draw(at, boundaries) {
    const { host } = this;
    const { view, doc } = host;
    const own = this.edits.columns.get(at);
    if (!view || !doc || !own) return;
    const asMany = boundaries.length + 1 === view.columns[at].count; // a boundary moved: the chunk is still the same one
    const stay = host.current?.column === at && !asMany ? view.columns[at].starts[host.current.chunk] : null;
    host.view = host.renderer.recut(at, redrawn(own.base, spansOf(doc.text, boundaries)));
    if (stay !== null) host.current = { column: at, chunk: boundaries.filter((start) => start <= stay).length };
  }

  /**
   * Draw the boundaries of a column as they are now, send and say it.
   *
   * @param {number} at
   * @param {string} said
   */
  #sent(at, said) {
    const { host } = this;
    const message = this.edits.message(at);
    const own = this.edits.columns.get(at);
    if (!message || !own) return;
    host.card.hide();
    this.#draw(at, own.history.now);
    host.send("edited", message);
    host.update();
    host.light();
    host.announce(said);
  }

  /**
   * The boundaries of a column are others now, and this is its current chunk.
   *
   * @param {{column: number, chunk: number}} current
   * @param {number[]} boundaries
   * @param {string} said
   */
  #commit(current, boundaries, said) {
    const { host } = this;
    this.edits.push(current.column, boundaries);
    host.column = current.column;
    this.#sent(current.column, said);
    host.current = current;
    host.update();
    host.light();
    host.announce(said);
  }

  /**
   * @param {number} column
   * @param {number[]} boundaries
   * @param {number} index of the boundary that was dragged
   */
  #dropped(column, boundaries, index) {
    this.#commit({ column, chunk: index + 1 }, boundaries, "Moved.");
  }

  split() {
    const { caret, host } = this;
    const own = caret && this.edits.columns.get(caret.column);
    if (!caret || !own || !host.doc) return host.announce(NO_WORD);
    const made = split(host.doc.text, own.history.now, caret.at);
    if (!made) return host.announce("A chunk starts here already.");
    this.caret = null;
    return this.#commit({ column: caret.column, chunk: made.indexOf(caret.at) + 1 }, made, "Split.");
  }

  /** Take the boundary away that the current chunk starts with. */
  merge() {
    const { current, own } = this.#chosen();
    if (!current || !own) return undefined;
    if (current.chunk === 0) return this.host.announce(FIRST);
    const made = own.history.now.toSpliced(current.chunk - 1, 1);
    return this.#commit({ column: current.column, chunk: current.chunk - 1 }, made, "Merged.");
  }

  /** @param {1 | -1} direction */
  nudge(direction) {
    const { current, own } = this.#chosen();
    const text = this.host.doc?.text;
    if (!current || !own || text === undefined) return undefined;
    const index = current.chunk - 1;
    if (index < 0) return this.host.announce(FIRST);
    const to = nextStop(text, own.history.now[index], direction);
    const made = to === null ? null : moved(text, own.history.now, index, to);
    if (!made) return this.host.announce("There is no word left to move over.");
    return this.#commit(current, made, "Moved.");
  }

  #chosen() {
    const { host } = this;
    const at = this.edits.target(host.column);
    const current = host.current?.column === at ? host.current : null;
    if (!current) host.announce("Choose a chunk first: click it, or press n.");
    return { current, own: at === null ? undefined : this.edits.columns.get(at) };
  }

  /**
   * @param {(history: History) => boolean} step
   * @param {string} said
   * @param {string} none
   */
  #step(step, said, none) {
    const at = this.edits.target(this.host.column);
    const own = at === null ? undefined : this.edits.columns.get(at);
    if (at !== null && own && step(own.history)) this.#sent(at, said);
    else this.host.announce(none);
  }

  /**
   * Move the place of a split by a word.
   * @param {1 | -1} direction
   */
  #moveCaret(direction) {
    const { host } = this;
    const at = this.edits.target(host.column);
    if (!host.doc || !host.view || at === null) return;
    const chunk = host.current?.column === at ? host.current.chunk : null;
    const start = chunk === null ? host.sight.firstVisible() : host.view.columns[at].starts[chunk];
    const from = this.caret?.column === at ? this.caret.at : start;
    const to = nextStop(host.doc.text, from, direction);
    if (to === null) return;
    this.caret = { column: at, at: to };
    host.sight.reveal(at, to);
    host.update();
    host.light();
    const words = host.doc.text.slice(to, to + 40).replace(/\s+/g, " ");
    host.announce(`Split before: ${words}`);
  }

  // --- keys and clicks ----------------------------------------------------------------------------------------------

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key was for editing
   */
  key(event) {
    if (!this.edits.columns.size) return false;
    const act = this.#action(event);
    if (!act) return false;
    event.preventDefault();
    event.stopPropagation();
    act();
    return true;
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {(() => void) | null}
   */
  #action(event) {
    if (event.key === "Escape" && this.drag.held) return () => this.drag.cancel();
    const command = commandOf(event);
    if (!command) return null;
    // Letters belong to the column that is active; undoing, where nothing else does, to the one that is edited.
    const anywhere = command === "undo" || command === "redo";
    return anywhere || this.edits.columns.has(this.host.column) ? this.commands[command] : null;
  }

  /**
   * A click on a word: there a split would be.
   *
   * @param {number} column
   * @param {MouseEvent} event
   */
  point(column, event) {
    this.caret = null;
    const text = this.host.doc?.text;
    if (text === undefined || !this.edits.columns.has(column)) return;
    const how = { nearest: false, fine: event.shiftKey };
    const at = placeAt(this.host.renderer, text, column, { x: event.clientX, y: event.clientY }, how);
    if (at !== null) this.caret = { column, at };
  }
}
