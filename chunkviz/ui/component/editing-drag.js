/**
 * Dragging a boundary with a mouse, a pen or a finger. The pointer is captured once it has moved, not before: what is
 * pressed and let go in one place is a click, and belongs to what was pressed.
 */

import { moved, nextStop } from "./boundaries.js";
import { grabbed, placeAt, reachOf } from "./editing-places.js";
import { same } from "./editing-state.js";

/** @typedef {import("./editing.js").Host} Host */
/** @typedef {import("./editing-state.js").Edits} Edits */

const EDGE = 36; // pixels from the edge of the visible part where dragging scrolls
const FASTEST = 18; // pixels per frame
const STARTS = 3; // pixels a pointer has to move until it drags

/**
 * How far to scroll in a frame while the pointer is held near an edge, the further outside, the faster.
 *
 * @param {number} y of the pointer
 * @param {number} top of what can be seen
 * @param {number} bottom
 * @returns {number} pixels, negative for upwards, 0 away from both edges
 */
export function pull(y, top, bottom) {
  const over = y > bottom - EDGE ? y - (bottom - EDGE) : y < top + EDGE ? y - (top + EDGE) : 0;
  return Math.max(-FASTEST, Math.min(FASTEST, over / 3));
}

/**
 * The boundaries with the one at `index` as near to `position` as its neighbours let it, which may be where it
 * is; null where no place is left.
 *
 * @param {string} text
 * @param {number[]} boundaries
 * @param {number} index
 * @param {number} position
 */
export function pushed(text, boundaries, index, position) {
  const free = moved(text, boundaries, index, position);
  if (free) return free;
  const back = position < boundaries[index];
  const wall = back ? (boundaries[index - 1] ?? 0) : (boundaries[index + 1] ?? text.length);
  const beside = nextStop(text, wall, back ? 1 : -1);
  // Between the wall and where it stood, never on the other side of it.
  if (beside === null || (back ? beside > boundaries[index] : beside < boundaries[index])) return null;
  return moved(text, boundaries, index, beside);
}

/**
 * @typedef {object} Held a boundary that is held
 * @property {number} pointer
 * @property {number} column
 * @property {number} index
 * @property {number[]} before
 * @property {number[]} now
 * @property {{x: number, y: number}} from
 * @property {{x: number, y: number, fine: boolean}} to where the pointer is
 * @property {boolean} moved
 */

export class Drag {
  /**
   * @param {Host} host
   * @param {Edits} edits
   * @param {{draw: (column: number, boundaries: number[]) => void, drop: (column: number, boundaries: number[], index: number) => void}} acts
   * @param {AbortSignal} signal
   */
  constructor(host, edits, acts, signal) {
    this.host = host;
    this.edits = edits;
    this.acts = acts;
    this.signal = signal;
    /** @type {Held | null} */
    this.held = null;
    this.dropped = false;
    /** Ends listening to fingers. @type {AbortController | null} */
    this.touching = null;
    const { scroller } = host;
    const on = (/** @type {string} */ type, /** @type {(event: any) => void} */ act, options = {}) =>
      scroller.addEventListener(type, act, { signal, ...options });
    on("pointerdown", (event) => this.#down(event));
    on("mousedown", (event) => this.held && event.preventDefault()); // no text is selected on the way
    on("contextmenu", (event) => this.held && event.preventDefault()); // a finger that rests on a grip means no menu
    on("pointermove", (event) => this.#move(event), { passive: true });
    on("pointerup", (event) => event.pointerId === this.held?.pointer && this.#up());
    on("pointercancel", (event) => event.pointerId === this.held?.pointer && this.cancel());
    // Letting go of a boundary is no click on what happens to be under it.
    on("click", (event) => this.dropped && event.stopImmediatePropagation(), { capture: true });
    signal.addEventListener("abort", () => this.touching?.abort());
  }

  /** A finger that holds a boundary scrolls nothing. Only while something can be held: it makes all scrolling wait. */
  update() {
    const wanted = this.edits.columns.size > 0;
    if (wanted === Boolean(this.touching)) return;
    this.touching?.abort();
    this.touching = wanted ? new AbortController() : null;
    this.host.scroller.classList.remove("at-cut");
    if (!this.touching) return;
    this.#still(this.host.scroller, this.touching.signal);
  }

  /**
   * @param {EventTarget} target where a finger that holds a boundary scrolls nothing
   * @param {AbortSignal} signal
   */
  #still(target, signal) {
    const hold = (/** @type {Event} */ event) => this.held && event.cancelable && event.preventDefault();
    target.addEventListener("touchmove", hold, { passive: false, signal });
  }

  /** @param {PointerEvent} event */
  #grabbed(event) {
    if (!this.edits.columns.size) return null;
    const point = { x: event.clientX, y: event.clientY };
    return grabbed(this.host.renderer, point, reachOf(event.pointerType), (column) => this.edits.columns.has(column));
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (this.held) return; // a second finger
    this.dropped = false;
    if (event.button !== 0 || !event.isPrimary) return;
    const found = this.#grabbed(event);
    const own = found && this.edits.columns.get(found.column);
    if (!found || !own) return;
    const before = own.history.now;
    const from = { x: event.clientX, y: event.clientY };
    this.held = { ...found, pointer: event.pointerId, before, now: before, from, to: { ...from, fine: false }, moved: false };
    this.host.scroller.focus({ preventScroll: true });
    // What a finger does is told to what it came down on, also when that was painted anew and is not in the page any more.
    const [target] = event.composedPath();
    if (this.touching) this.#still(target, this.touching.signal);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { held, host } = this;
    if (!held) {
      if (event.pointerType !== "touch") host.scroller.classList.toggle("at-cut", this.#grabbed(event) !== null);
      return;
    }
    if (event.pointerId !== held.pointer) return;
    const { clientX: x, clientY: y } = event;
    held.to = { x, y, fine: event.shiftKey };
    if (!held.moved) {
      if (Math.hypot(x - held.from.x, y - held.from.y) < STARTS) return;
      held.moved = true;
      host.scroller.setPointerCapture(held.pointer);
      host.scroller.classList.add("dragging");
      requestAnimationFrame(() => this.#scroll(held));
    }
    host.card.hide();
    this.#follow(held);
  }

  /**
   * Go on scrolling as long as the pointer rests near an edge.
   * @param {Held} held
   */
  #scroll(held) {
    if (this.held !== held || this.signal.aborted) return;
    const { scroller, renderer } = this.host;
    const box = scroller.getBoundingClientRect();
    const by = pull(held.to.y, box.top + renderer.tracks[held.column].head.offsetHeight, box.bottom);
    if (by) {
      scroller.scrollTop += by;
      this.#follow(held);
    }
    requestAnimationFrame(() => this.#scroll(held));
  }

  /**
   * Bring the boundary to where the pointer is.
   * @param {Held} held
   */
  #follow(held) {
    const { host } = this;
    if (!host.doc) return;
    const at = placeAt(host.renderer, host.doc.text, held.column, held.to, { nearest: true, fine: held.to.fine });
    if (at === null || at === held.now[held.index]) return;
    const now = pushed(host.doc.text, held.before, held.index, at);
    if (!now || same(now, held.now)) return;
    held.now = now;
    this.acts.draw(held.column, now);
  }

  #up() {
    const held = this.#let();
    this.dropped = Boolean(held?.moved);
    if (held && !same(held.before, held.now)) this.acts.drop(held.column, held.now, held.index);
  }

  /** Let go, and leave everything as it was. */
  cancel() {
    const held = this.#let();
    if (held && !same(held.before, held.now)) this.acts.draw(held.column, held.before);
  }

  /** Another view has come: what was held may not be there any more. */
  forget() {
    this.#let();
  }

  #let() {
    const { held } = this;
    const { scroller } = this.host;
    this.held = null;
    scroller.classList.remove("dragging");
    if (held?.moved && scroller.hasPointerCapture(held.pointer)) scroller.releasePointerCapture(held.pointer);
    return held;
  }
}
