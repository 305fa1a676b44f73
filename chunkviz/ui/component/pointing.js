/**
 * What a pointer does to the columns: the chunk under it lights up and tells of itself after a moment, a click makes it
 * the current one, and text that is selected is told to the page where it asks for that.
 */

import { lastOf } from "./core.js";
import { selected } from "./selection.js";
import * as words from "./words.js";

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").Column} Column */
/** @typedef {import("./moving.js").Place} Place */

/**
 * What is needed of the viewer.
 * @typedef {object} Host
 * @property {View | null} view
 * @property {Doc | null} doc
 * @property {{view: View, own: Column}} shown
 * @property {number} column
 * @property {Place | null} current
 * @property {Place | null} hovered
 * @property {{start: number, end: number} | null} mark
 * @property {number} markKind
 * @property {HTMLElement} root
 * @property {HTMLElement} scroller
 * @property {import("./render.js").Renderer} renderer
 * @property {import("./card.js").Card} card
 * @property {import("./about.js").About} about
 * @property {Pick<import("./tuner.js").Tuner, "point">} tuner
 * @property {Pick<import("./editing.js").Editing, "point">} editing
 * @property {(name: string, value: unknown) => void} send
 * @property {(text: string) => void} announce
 * @property {(text: string) => void} speak
 * @property {() => void} update
 * @property {() => void} light
 */

const HOVER_MS = 250; // until the card opens
const NEXT_MS = 60; // until an open card is about the next piece
const EDGE = 5; // pixels around a chunk's start that count as the cut itself

/**
 * Whether a point is on the ink bar at a chunk's start.
 *
 * @param {{clientX: number, clientY: number}} point
 * @param {{left: number, right: number, top: number, bottom: number}} rect of the chunk's first line
 * @param {boolean} right whether its text runs from right to left
 */
export function onBar({ clientX: x, clientY: y }, rect, right) {
  return y >= rect.top && y <= rect.bottom && Math.abs(x - (right ? rect.right : rect.left)) <= EDGE;
}

export class Pointing {
  /**
   * @param {Host} host
   * @param {AbortSignal} signal
   */
  constructor(host, signal) {
    this.host = host;
    this.signal = signal;
    /** What the open card is about. */
    this.about = "";
    /** The selection that was told of last. */
    this.told = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    const on = (/** @type {EventTarget} */ target, /** @type {string} */ type, /** @type {(e: any) => void} */ act) =>
      target.addEventListener(type, act, { signal, passive: true });
    on(host.scroller, "pointermove", (event) => this.#hover(event));
    on(host.scroller, "pointerleave", () => this.leave());
    on(host.scroller, "click", (event) => this.#click(event));
    // Wherever the pointer was let go: a selection may end outside. After the browser has settled what is selected.
    on(document, "pointerup", () => setTimeout(() => this.#tellSelection(), 0));
    on(document, "keyup", (event) => event.key === "Shift" && this.#tellSelection());
    on(document, "pointerdown", (event) => {
      if (host.card.pinned && !event.composedPath().includes(host.root)) host.card.hide();
    });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  /** @param {PointerEvent} event */
  #hover(event) {
    const { host } = this;
    if (event.pointerType === "touch" || !host.view) return;
    const found = host.renderer.locate(event.target);
    if (!found?.piece) return this.leave();
    const { column, piece } = found;
    const chunk = lastOf(piece.dataset.chunk);
    const cut = isAtCut(piece, event);
    if (host.hovered?.column !== column || host.hovered.chunk !== chunk) {
      host.hovered = { column, chunk };
      host.light();
      host.tuner.point(host.view.columns[column].starts[chunk]);
    }
    if (host.card.pinned) return;
    const spot = { x: event.clientX, y: event.clientY };
    const what = `${column} ${piece.dataset.chunk} ${cut}`;
    if (host.card.open && what === this.about) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        if (!host.hovered || host.card.pinned) return;
        this.about = what;
        host.about.point(column, piece, cut, spot, false);
      },
      host.card.open ? NEXT_MS : HOVER_MS,
    );
  }

  /** The pointer is on no chunk any more, or the text has moved away under it. */
  leave() {
    const { host } = this;
    clearTimeout(this.timer);
    if (!host.card.pinned) host.card.hide();
    if (!host.hovered) return;
    host.hovered = null;
    host.light();
    host.tuner.point(null);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const { host } = this;
    if (!host.view) return;
    const found = host.renderer.locate(event.target);
    if (!found) return;
    // Someone who has just selected text wants to copy it.
    if (selected(host.renderer)) return;
    const { column, piece } = found;
    if (!piece) {
      host.column = column;
      host.update();
      return;
    }
    const place = { column, chunk: lastOf(piece.dataset.chunk) };
    host.editing.point(column, event);
    host.column = column;
    host.current = place;
    host.mark = null;
    const { own } = host.shown;
    host.markKind = Math.min(host.markKind, Math.max(0, own.marks.length - 1));
    host.update();
    host.light();
    host.speak(words.spoken(own, place.chunk));
    host.about.point(column, piece, false, { x: event.clientX, y: event.clientY }, true);
    host.send("selected", place);
  }

  /** Tell which text was selected, where the page asks for it and it is another one than before. */
  #tellSelection() {
    const { host } = this;
    if (!host.view?.picking || !host.doc || this.signal.aborted) return;
    const found = selected(host.renderer);
    if (!found) return;
    if (found.column === null) {
      host.announce("Select inside one column.");
      return;
    }
    const { start, end } = found;
    const what = `${host.doc.id} ${start} ${end}`;
    if (what === this.told) return;
    this.told = what;
    host.announce(`${words.number(end - start)} characters are selected.`);
    host.send("picked", { docId: host.doc.id, start, end });
  }
}

/**
 * Whether the pointer is on the cut before a piece, which it is only where a chunk starts.
 *
 * @param {HTMLElement} piece
 * @param {PointerEvent} event
 */
function isAtCut(piece, event) {
  if (!piece.classList.contains("opens")) return false;
  const [rect] = piece.getClientRects();
  return Boolean(rect) && onBar(event, rect, getComputedStyle(piece).direction === "rtl");
}
