/**
 * The similarity curve: the part around what is read in detail, the whole document as a strip below it, the values as a
 * distribution beside it, and the threshold as a line over both that is dragged.
 *
 * Everything is drawn on canvases of its own: a chart library redraws too much to follow a pointer. The line's handle is
 * an element, so that keys and screen readers find it.
 */

import { make } from "./render.js";

/** @typedef {import("./codec.js").Turns} Turns */

const HEIGHT = 190;
const STRIP = 34; // height of the overview
const LEFT = 44; // room for the numbers of the axis
const RIGHT = 118; // room for the distribution and the value of the line
const TOP = 10;
const BOTTOM = 22; // the chunks as a band, and marks of a reference
const BINS = 48;
const GRIP = 9; // pixels around the line that take hold of it
const DETAIL = 260; // gaps shown in detail at first
const FEWEST = 8;
const STYLE_MS = 40; // between looks for the style sheet

/**
 * @typedef {object} Acts
 * @property {(value: number) => void} drag the line was moved to a value of the axis
 * @property {(steps: number) => void} nudge the handle was moved by keys, up is positive
 * @property {(end: "low" | "high") => void} extreme to one end of the range
 * @property {() => void} release the pointer let go
 * @property {(gap: number) => void} choose a dip was clicked
 * @property {() => void} themed the colours are known, or other ones
 */

export class Curve {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts;
    this.element = make("div", "curve");
    this.main = make("canvas", "curve-main");
    this.strip = make("canvas", "curve-strip");
    this.main.setAttribute("aria-hidden", "true");
    this.strip.setAttribute("aria-hidden", "true");
    this.handle = make("div", "curve-handle");
    this.handle.tabIndex = 0;
    this.handle.setAttribute("role", "slider");
    this.handle.setAttribute("aria-label", "Similarity threshold");
    this.handle.setAttribute("aria-orientation", "vertical");
    this.label = make("span", "curve-value");
    this.handle.append(make("span", "curve-line"), this.label);
    this.brush = make("div", "curve-brush");
    this.brush.append(make("i", "grip start"), make("i", "grip end"));
    const stage = make("div", "curve-stage");
    stage.append(this.main, this.handle);
    const below = make("div", "curve-below");
    below.append(this.strip, this.brush);
    this.element.append(stage, below);
    this.base = document.createElement("canvas");
    this.baseStrip = document.createElement("canvas");
    this.observer = new ResizeObserver(() => this.#resized());
    this.observer.observe(this.element);
    this.#listen();
  }

  /** @type {Turns | null} */
  turns = null;
  /** What is drawn: similarities, or the drops of kinds that compare those. */
  values = new Float64Array(0);
  /** Gaps in detail: from, to (exclusive). */
  from = 0;
  to = 0;
  low = 0;
  high = 1;
  width = 0;
  line = 0;
  /** Where chunks start, as gaps before their first unit, and their colours. @type {{gaps: ArrayLike<number>, colors: ArrayLike<number>}} */
  cuts = { gaps: [], colors: [] };
  /** @type {number | null} */
  pointed = null;
  byHand = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  waiting = undefined;
  /** @type {Record<string, string>} */
  inks = {};

  destroy() {
    clearTimeout(this.waiting);
    this.observer.disconnect();
  }

  /**
   * Show another curve, or the same one anew.
   * @param {Turns} turns
   */
  show(turns) {
    const same = this.turns && this.turns.starts.length === turns.starts.length && this.byHand;
    this.turns = turns;
    this.values = turns.axis === "similarity" ? turns.values : turns.drops.map((d) => (d === -Infinity ? 0 : d));
    let low = Infinity;
    let high = -Infinity;
    for (let gap = 0; gap < this.values.length; gap++) {
      if (turns.depths[gap] === -Infinity) continue;
      low = Math.min(low, this.values[gap]);
      high = Math.max(high, this.values[gap]);
    }
    if (low > high) [low, high] = [0, 1];
    const pad = Math.max(0.04, (high - low) * 0.08);
    this.low = low - pad;
    this.high = high + pad;
    if (!same) {
      this.from = 0;
      this.to = Math.min(this.values.length, DETAIL);
    }
    this.#rebuild();
  }

  /**
   * The line and the cuts that follow from it.
   *
   * @param {number} line value of the axis
   * @param {ArrayLike<number>} gaps before each chunk but the first
   * @param {ArrayLike<number>} colors of all chunks
   */
  move(line, gaps, colors) {
    this.line = line;
    this.cuts = { gaps, colors };
    this.draw();
  }

  /**
   * What the handle says of itself.
   *
   * @param {{amount: number, low: number, high: number, text: string}} state
   */
  say({ amount, low, high, text }) {
    this.handle.setAttribute("aria-valuemin", String(low));
    this.handle.setAttribute("aria-valuemax", String(high));
    this.handle.setAttribute("aria-valuenow", String(amount));
    this.handle.setAttribute("aria-valuetext", text);
  }

  /**
   * Follow the text: the part that is read stays in the detail, unless the reader has chosen another part.
   * @param {number} gap
   */
  follow(gap) {
    const count = this.values.length;
    if (!count || (gap >= this.from && gap < this.to)) return;
    const span = this.to - this.from;
    this.#focus(Math.round(gap - span / 4), span);
  }

  /** @param {number | null} gap the one under the pointer in the text */
  point(gap) {
    if (gap === this.pointed) return;
    this.pointed = gap;
    this.draw();
  }

  /** Take the colours of the theme again; where the style sheet is still on its way, as soon as it is there. */
  retheme() {
    clearTimeout(this.waiting);
    const style = getComputedStyle(this.element);
    if (!style.getPropertyValue("--cut").trim()) {
      this.waiting = setTimeout(() => this.retheme(), STYLE_MS);
      return;
    }
    const ink = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    this.inks = {
      ink: ink("--ink"),
      faint: ink("--faint"),
      line: ink("--line"),
      accent: ink("--accent"),
      cut: ink("--cut"),
      paper: ink("--paper"),
      mark: ink("--mark"),
    };
    for (let i = 0; i < 6; i++) this.inks[`c${i}`] = ink(`--chunk-${i}`);
    this.width = Math.round(this.element.clientWidth);
    this.#rebuild();
    this.acts.themed();
  }

  /**
   * @param {number} first
   * @param {number} span
   */
  #focus(first, span) {
    const count = this.values.length;
    const width = Math.max(Math.min(FEWEST, count), Math.min(count, Math.round(span)));
    this.from = Math.max(0, Math.min(count - width, Math.round(first)));
    this.to = this.from + width;
    this.#rebuild();
  }

  #resized() {
    const width = Math.round(this.element.clientWidth);
    if (!width || width === this.width) return;
    this.width = width;
    this.#rebuild();
  }

  get #plot() {
    return { left: LEFT, right: this.width - RIGHT, top: TOP, bottom: HEIGHT - BOTTOM };
  }

  /** @param {number} value */
  #y(value) {
    const { top, bottom } = this.#plot;
    return bottom - ((value - this.low) / (this.high - this.low)) * (bottom - top);
  }

  /** @param {number} y */
  #valueAt(y) {
    const { top, bottom } = this.#plot;
    return this.low + ((bottom - y) / (bottom - top)) * (this.high - this.low);
  }

  /** @param {number} gap */
  #x(gap) {
    const { left, right } = this.#plot;
    return left + ((gap - this.from + 0.5) / Math.max(1, this.to - this.from)) * (right - left);
  }

  /** @param {number} gap */
  #stripX(gap) {
    return LEFT + ((gap + 0.5) / Math.max(1, this.values.length)) * (this.width - LEFT - RIGHT);
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number} height
   */
  #sized(canvas, height) {
    const ratio = globalThis.devicePixelRatio || 1;
    const [w, h] = [Math.round(this.width * ratio), Math.round(height * ratio)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.height = `${height}px`;
    }
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, height);
    return pen;
  }

  /** What does not change while the line moves. */
  #rebuild() {
    if (!this.turns || !this.width || !this.inks.ink) return;
    const { left, right, top, bottom } = this.#plot;
    const pen = this.#sized(this.base, HEIGHT);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    for (const value of ticks(this.low, this.high)) {
      const y = Math.round(this.#y(value)) + 0.5;
      pen.strokeStyle = this.inks.line;
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(right, y);
      pen.stroke();
      pen.fillStyle = this.inks.faint;
      pen.textAlign = "right";
      pen.fillText(value.toFixed(1), left - 6, y);
    }
    pen.textAlign = "left";
    pen.fillStyle = this.inks.faint;
    pen.fillText(this.turns.axis, left + 4, top + 2);
    this.#trace(pen, this.from, this.to, (gap) => this.#x(gap), (value) => this.#y(value), this.inks.faint);
    this.#distribution(pen);
    for (const place of this.turns.reference) {
      const gap = this.#gapAt(place);
      if (gap < this.from || gap >= this.to) continue;
      const x = this.#x(gap);
      pen.fillStyle = this.inks.mark;
      pen.beginPath();
      pen.moveTo(x - 4, top - 8);
      pen.lineTo(x + 4, top - 8);
      pen.lineTo(x, top);
      pen.fill();
      pen.globalAlpha = 0.5;
      pen.fillRect(x - 0.5, top, 1, bottom - top);
      pen.globalAlpha = 1;
    }
    const thin = this.#sized(this.baseStrip, STRIP);
    const scale = (/** @type {number} */ value) => STRIP - 3 - ((value - this.low) / (this.high - this.low)) * (STRIP - 6);
    this.#trace(thin, 0, this.values.length, (gap) => this.#stripX(gap), scale, this.inks.faint);
    this.draw();
  }

  /**
   * The gap before the unit that holds `place`.
   * @param {number} place UTF-16 offset
   */
  #gapAt(place) {
    const { starts } = /** @type {Turns} */ (this.turns);
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle] <= place) low = middle + 1;
      else high = middle;
    }
    return low - 2;
  }

  /**
   * A line through the values; where several share a pixel, from the lowest to the highest of them.
   *
   * @param {CanvasRenderingContext2D} pen
   * @param {number} from
   * @param {number} to
   * @param {(gap: number) => number} x
   * @param {(value: number) => number} y
   * @param {string} color
   */
  #trace(pen, from, to, x, y, color) {
    const { depths } = /** @type {Turns} */ (this.turns);
    pen.strokeStyle = color;
    pen.lineWidth = 1.3;
    pen.lineJoin = "round";
    pen.beginPath();
    let column = -1;
    let low = 0;
    let high = 0;
    let open = false;
    const flush = () => {
      if (column < 0) return;
      if (open) pen.lineTo(column, y(high));
      else pen.moveTo(column, y(high));
      if (low !== high) pen.lineTo(column, y(low));
      open = true;
    };
    for (let gap = from; gap < to; gap++) {
      if (depths[gap] === -Infinity) continue;
      const at = to - from > (this.width - LEFT - RIGHT) * 1.5 ? Math.round(x(gap)) : x(gap);
      if (at !== column) {
        flush();
        column = at;
        low = high = this.values[gap];
      } else {
        low = Math.min(low, this.values[gap]);
        high = Math.max(high, this.values[gap]);
      }
    }
    flush();
    pen.stroke();
  }

  /** How many gaps have which value, for the gutter. */
  #bins() {
    const { depths } = /** @type {Turns} */ (this.turns);
    const counts = new Array(BINS).fill(0);
    for (let gap = 0; gap < this.values.length; gap++) {
      if (depths[gap] === -Infinity) continue;
      const at = Math.floor(((this.values[gap] - this.low) / (this.high - this.low)) * BINS);
      counts[Math.min(BINS - 1, Math.max(0, at))]++;
    }
    return counts;
  }

  /** @param {CanvasRenderingContext2D} pen */
  #distribution(pen) {
    const { right, top, bottom } = this.#plot;
    const counts = this.#bins();
    const most = Math.max(1, ...counts);
    const height = (bottom - top) / BINS;
    pen.fillStyle = this.inks.faint;
    pen.globalAlpha = 0.45;
    counts.forEach((count, i) => {
      if (!count) return;
      const width = Math.max(1.5, Math.sqrt(count / most) * 48);
      pen.fillRect(right + 8, bottom - (i + 1) * height, width, Math.max(1, height - 0.6));
    });
    pen.globalAlpha = 1;
  }

  draw() {
    if (!this.turns || !this.width || !this.inks.ink) return;
    const { left, right, top, bottom } = this.#plot;
    const pen = this.#sized(this.main, HEIGHT);
    pen.drawImage(this.base, 0, 0, this.width, HEIGHT);
    const y = Math.min(bottom, Math.max(top, this.#y(this.line)));
    const below = this.turns.axis === "similarity";
    // What the threshold takes: the side of the line on which gaps are cuts.
    pen.fillStyle = this.inks.cut;
    pen.globalAlpha = 0.09;
    if (below) pen.fillRect(left, y, right - left, bottom - y);
    else pen.fillRect(left, top, right - left, y - top);
    pen.globalAlpha = 1;
    this.#chunks(pen);
    const { gaps } = this.cuts;
    let column = -1;
    for (let i = firstAtLeast(gaps, this.from); i < gaps.length && gaps[i] < this.to; i++) {
      const gap = gaps[i];
      const x = this.#x(gap);
      if (Math.round(x) === column) continue;
      column = Math.round(x);
      const value = this.#y(this.values[gap]);
      const free = this.turns.depths[gap] === -Infinity;
      pen.fillStyle = this.inks.cut;
      pen.globalAlpha = 0.55;
      pen.fillRect(x - 0.5, free ? top : value, 1, bottom - (free ? top : value));
      pen.globalAlpha = 1;
      if (free) continue;
      pen.beginPath();
      pen.arc(x, value, 3, 0, 2 * Math.PI);
      pen.fill();
    }
    if (this.pointed !== null && this.pointed >= this.from && this.pointed < this.to) {
      const x = this.#x(this.pointed);
      pen.fillStyle = this.inks.accent;
      pen.fillRect(x - 1, top, 2, bottom - top);
    }
    this.handle.style.transform = `translateY(${(y - 10).toFixed(1)}px)`;
    this.handle.style.left = `${left}px`;
    this.handle.style.width = `${this.width - left}px`;
    this.label.textContent = this.line.toFixed(2);
    this.#drawStrip();
  }

  /**
   * The chunks as a band in the colours of the text.
   * @param {CanvasRenderingContext2D} pen
   */
  #chunks(pen) {
    const { bottom, left, right } = this.#plot;
    const { gaps, colors } = this.cuts;
    let i = firstAtLeast(gaps, this.from);
    let x = left;
    for (; ; i++) {
      const end = i < gaps.length && gaps[i] < this.to ? this.#x(gaps[i]) : right;
      pen.fillStyle = this.inks[`c${colors[i] ?? 0}`];
      pen.fillRect(x, bottom + 5, Math.max(0.5, end - x), 11);
      x = end;
      if (end === right) break;
    }
    pen.strokeStyle = this.inks.faint;
    pen.lineWidth = 1;
    pen.strokeRect(left + 0.5, bottom + 5.5, right - left - 1, 10);
  }

  #drawStrip() {
    const pen = this.#sized(this.strip, STRIP);
    const { gaps } = this.cuts;
    pen.fillStyle = this.inks.cut;
    pen.globalAlpha = 0.5;
    let column = -1;
    for (let i = 0; i < gaps.length; i++) {
      const x = Math.round(this.#stripX(gaps[i]));
      if (x === column) continue;
      column = x;
      pen.fillRect(x, 0, 1, STRIP);
    }
    pen.globalAlpha = 1;
    pen.drawImage(this.baseStrip, 0, 0, this.width, STRIP);
    const x = this.#stripX(this.from - 0.5);
    this.brush.style.left = `${x}px`;
    this.brush.style.width = `${Math.max(10, this.#stripX(this.to - 0.5) - x)}px`;
    this.brush.hidden = this.values.length <= FEWEST;
  }

  // --- pointer and keys ---------------------------------------------------------------------------------------------

  #listen() {
    let moved = false;
    let held = false;
    const stage = /** @type {HTMLElement} */ (this.main.parentElement);
    const at = (/** @type {PointerEvent} */ event) => {
      const box = this.main.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    stage.addEventListener("pointerdown", (event) => {
      const { x, y } = at(event);
      const onHandle = event.composedPath().includes(this.handle);
      held = onHandle || (x >= LEFT && Math.abs(y - this.#y(this.line)) <= GRIP);
      moved = false;
      if (!held) return;
      event.preventDefault();
      this.handle.focus({ preventScroll: true });
      stage.setPointerCapture(event.pointerId);
    });
    stage.addEventListener("pointermove", (event) => {
      const { x, y } = at(event);
      if (!held) {
        stage.style.cursor = x >= LEFT && Math.abs(y - this.#y(this.line)) <= GRIP ? "ns-resize" : "crosshair";
        return;
      }
      moved = true;
      const { top, bottom } = this.#plot;
      this.acts.drag(this.#valueAt(Math.min(bottom, Math.max(top, y))));
    });
    stage.addEventListener("pointerup", (event) => {
      if (held) {
        held = false;
        if (moved) this.acts.release();
        return;
      }
      const { x } = at(event);
      const gap = this.#dipNear(x);
      if (gap !== null) this.acts.choose(gap);
    });
    stage.addEventListener("pointercancel", () => {
      if (held && moved) this.acts.release();
      held = false;
    });
    this.handle.addEventListener("keydown", (event) => {
      const steps = /** @type {Record<string, number>} */ ({
        ArrowUp: 1,
        ArrowRight: 1,
        ArrowDown: -1,
        ArrowLeft: -1,
        PageUp: 10,
        PageDown: -10,
      })[event.key];
      if (steps) this.acts.nudge(steps);
      else if (event.key === "Home") this.acts.extreme("low");
      else if (event.key === "End") this.acts.extreme("high");
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.#listenStrip();
  }

  /** The brush: drag it, drag one of its ends, or click beside it. */
  #listenStrip() {
    const below = /** @type {HTMLElement} */ (this.strip.parentElement);
    /** @type {{kind: string, x: number, from: number, to: number} | null} */
    let hold = null;
    const gapAt = (/** @type {number} */ x) =>
      ((x - LEFT) / Math.max(1, this.width - LEFT - RIGHT)) * this.values.length;
    below.addEventListener("pointerdown", (event) => {
      const x = event.clientX - this.strip.getBoundingClientRect().left;
      const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
      const kind = target.classList.contains("start") ? "start" : target.classList.contains("end") ? "end" : "move";
      if (kind === "move" && target !== this.brush) this.#focus(gapAt(x) - (this.to - this.from) / 2, this.to - this.from);
      hold = { kind, x, from: this.from, to: this.to };
      this.byHand = true;
      event.preventDefault();
      below.setPointerCapture(event.pointerId);
    });
    below.addEventListener("pointermove", (event) => {
      if (!hold) return;
      const x = event.clientX - this.strip.getBoundingClientRect().left;
      const by = gapAt(x) - gapAt(hold.x);
      if (hold.kind === "move") this.#focus(hold.from + by, hold.to - hold.from);
      else if (hold.kind === "start") this.#focus(Math.min(hold.from + by, hold.to - FEWEST), hold.to - Math.min(hold.from + by, hold.to - FEWEST));
      else this.#focus(hold.from, hold.to + by - hold.from);
    });
    for (const type of ["pointerup", "pointercancel"]) below.addEventListener(type, () => (hold = null));
  }

  /**
   * The strongest dip within a few pixels.
   * @param {number} x
   */
  #dipNear(x) {
    const { left, right } = this.#plot;
    if (!this.turns || x < left - 4 || x > right + 4) return null;
    const per = (right - left) / Math.max(1, this.to - this.from);
    const middle = this.from + (x - left) / per - 0.5;
    const reach = Math.max(0.6, 6 / per);
    let best = null;
    for (let gap = Math.max(this.from, Math.ceil(middle - reach)); gap <= Math.min(this.to - 1, middle + reach); gap++) {
      if (this.turns.depths[gap] === -Infinity) continue;
      if (best === null || this.turns.values[gap] < this.turns.values[best]) best = gap;
    }
    return best;
  }
}

/**
 * @param {ArrayLike<number>} sorted
 * @param {number} value
 */
function firstAtLeast(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Round numbers in a range, about five.
 * @param {number} low
 * @param {number} high
 */
export function ticks(low, high) {
  const step = high - low > 0.9 ? 0.2 : 0.1;
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) found.push(Math.round(i * step * 10) / 10);
  return found;
}
