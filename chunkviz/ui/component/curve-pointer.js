/** What a hand does to the curve: it drags the line, clicks a dip, presses keys, and moves the brush over the strip. */

import { LEFT } from "./curve-scale.js";

/** @typedef {import("./curve.js").Curve} Curve */

const GRIP = 9; // pixels around the line that take hold of it
const NEAR = 6; // pixels from a click within which a dip is meant
const MANY = 10; // steps of the page keys

/** @type {Record<string, number>} */
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: MANY, PageDown: -MANY };

/**
 * The line and the dips, by pointer and touch.
 * @param {Curve} curve
 */
export function listenToLine(curve) {
  const { stage, handle, acts, scale } = curve;
  let moved = false;
  let held = false;
  const at = (/** @type {PointerEvent} */ event) => {
    const box = curve.main.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const onLine = (/** @type {{x: number, y: number}} */ { x, y }) =>
    x >= LEFT && Math.abs(y - scale.y(curve.line)) <= GRIP;
  stage.addEventListener("pointerdown", (event) => {
    held = event.composedPath().includes(handle) || onLine(at(event));
    moved = false;
    if (!held) return;
    event.preventDefault();
    handle.focus({ preventScroll: true });
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    const place = at(event);
    if (!held) {
      stage.style.cursor = onLine(place) ? "ns-resize" : "crosshair";
      return;
    }
    moved = true;
    const { top, bottom } = scale.plot;
    acts.drag(scale.valueAt(Math.min(bottom, Math.max(top, place.y))));
  });
  stage.addEventListener("pointerup", (event) => {
    if (held) {
      held = false;
      if (moved) acts.release();
      return;
    }
    const gap = dipNear(curve, at(event).x);
    if (gap !== null) acts.choose(gap);
  });
  stage.addEventListener("pointercancel", () => {
    if (held && moved) acts.release();
    held = false;
  });
}

/**
 * The line by keys.
 * @param {Curve} curve
 */
export function listenToKeys({ handle, acts }) {
  handle.addEventListener("keydown", (event) => {
    const steps = STEPS[event.key];
    if (steps) acts.nudge(steps);
    else if (event.key === "Home") acts.extreme("low");
    else if (event.key === "End") acts.extreme("high");
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/**
 * The brush: drag it, drag one of its ends, or click beside it.
 * @param {Curve} curve
 */
export function listenToStrip(curve) {
  const { below, strip, brush, scale } = curve;
  /** @type {{kind: string, x: number, from: number, to: number} | null} */
  let hold = null;
  const at = (/** @type {PointerEvent} */ event) => event.clientX - strip.getBoundingClientRect().left;
  below.addEventListener("pointerdown", (event) => {
    const x = at(event);
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
    const kind = target.classList.contains("start") ? "start" : target.classList.contains("end") ? "end" : "move";
    const span = scale.to - scale.from;
    if (kind === "move" && target !== brush) curve.focus(scale.stripGapAt(x) - span / 2, span);
    hold = { kind, x, from: scale.from, to: scale.to };
    curve.byHand = true;
    event.preventDefault();
    below.setPointerCapture(event.pointerId);
  });
  below.addEventListener("pointermove", (event) => {
    if (!hold) return;
    const by = scale.stripGapAt(at(event)) - scale.stripGapAt(hold.x);
    if (hold.kind === "move") curve.focus(hold.from + by, hold.to - hold.from);
    else if (hold.kind === "end") curve.focus(hold.from, hold.to + by - hold.from);
    else {
      const from = Math.min(hold.from + by, hold.to - curve.fewest);
      curve.focus(from, hold.to - from);
    }
  });
  for (const type of ["pointerup", "pointercancel"]) below.addEventListener(type, () => (hold = null));
}

/**
 * The strongest dip within a few pixels.
 * @param {Curve} curve
 * @param {number} x
 */
function dipNear({ turns, scale }, x) {
  const { left, right } = scale.plot;
  if (!turns || x < left - 4 || x > right + 4) return null;
  const middle = scale.gapAt(x);
  const reach = Math.max(0.6, NEAR / scale.perGap);
  const last = Math.min(scale.to - 1, middle + reach);
  let best = null;
  for (let gap = Math.max(scale.from, Math.ceil(middle - reach)); gap <= last; gap++) {
    if (turns.depths[gap] === -Infinity) continue;
    if (best === null || turns.values[gap] < turns.values[best]) best = gap;
  }
  return best;
}
