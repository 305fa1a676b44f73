/**
 * The similarity curve: the part around what is read in detail, the whole document as a strip below it, the values as a
 * distribution beside it, and the threshold as a line over both that is dragged.
 *
 * Everything is drawn on canvases of its own: a chart library redraws too much to follow a pointer. The line's handle is
 * an element, so that keys and screen readers find it. This file holds the elements and what they show; where things
 * stand is in curve-scale.js, how they are painted in curve-drawing.js, and what a hand does in curve-pointer.js.
 */

import { cleared, drawMoving, drawStill, drawStillStrip, drawStripCuts } from "./curve-drawing.js";
import { listenToKeys, listenToLine, listenToStrip } from "./curve-pointer.js";
import { gapBefore, HEIGHT, Scale, STRIP } from "./curve-scale.js";
import { make } from "./make.js";
import { fixed } from "./turns.js";

/** @typedef {import("./codec.js").Turns} Turns */

const DETAIL = 260; // gaps shown in detail at first
const FEWEST = 8;
const STYLE_MS = 40; // between looks for the style sheet
const CHUNK_COLORS = 6;

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
    this.stage = make("div", "curve-stage");
    this.stage.append(this.main, this.handle);
    this.below = make("div", "curve-below");
    this.below.append(this.strip, this.brush);
    this.element.append(this.stage, this.below);
    this.still = document.createElement("canvas");
    this.stillStrip = document.createElement("canvas");
    this.observer = new ResizeObserver(() => this.#resized());
    this.observer.observe(this.element);
    listenToLine(this);
    listenToKeys(this);
    listenToStrip(this);
  }

  /** @type {Turns | null} */
  turns = null;
  /** Of the document that the curve is of. */
  docId = "";
  /** What is drawn: similarities, or the drops of kinds that compare those. */
  values = new Float64Array(0);
  scale = new Scale();
  line = 0;
  /** @type {import("./curve-drawing.js").Cuts} */
  cuts = { gaps: [], colors: [] };
  /** @type {number | null} */
  pointed = null;
  /** The fewest gaps that the brush can hold. */
  fewest = FEWEST;
  /** Whether the reader chose the part in detail, which then no longer follows the text. */
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
   * Show another curve. One of the same document keeps the part that is in detail, also where its sentences are parted
   * differently.
   *
   * @param {Turns} turns
   * @param {string} docId
   */
  show(turns, docId) {
    const before = this.docId === docId ? this.turns : null;
    this.turns = turns;
    this.docId = docId;
    this.values = turns.axis === "similarity" ? turns.values : turns.drops.map((d) => (d === -Infinity ? 0 : d));
    this.pointed = null;
    const { from, to, count } = this.scale;
    this.scale.fit(this.values, turns.depths);
    if (before && to > from) {
      const moved = (/** @type {number} */ gap) => gapBefore(turns.starts, before.starts[gap + 1]);
      const end = to === count ? this.scale.count : moved(to - 1) + 1;
      this.scale.focus(moved(from), end - moved(from), FEWEST);
    } else {
      this.byHand = false;
      this.scale.focus(0, DETAIL, FEWEST);
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
    const { from, to, count } = this.scale;
    if (this.byHand || !count || (gap >= from && gap < to)) return;
    this.focus(gap - (to - from) / 4, to - from);
  }

  /**
   * Show `span` gaps in detail, from `first` on.
   *
   * @param {number} first
   * @param {number} span
   */
  focus(first, span) {
    this.scale.focus(first, span, FEWEST);
    this.#rebuild();
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
    for (let i = 0; i < CHUNK_COLORS; i++) this.inks[`c${i}`] = ink(`--chunk-${i}`);
    this.scale.width = Math.round(this.element.clientWidth);
    this.#rebuild();
    this.acts.themed();
  }

  #resized() {
    const width = Math.round(this.element.clientWidth);
    if (!width || width === this.scale.width) return;
    this.scale.width = width;
    this.#rebuild();
  }

  /** What there is to draw; null as long as it, its size or its colours are not known. */
  get #scene() {
    const { turns, values, scale, inks } = this;
    return turns && scale.width && inks.ink ? { turns, values, scale, inks } : null;
  }

  /** What does not change while the line moves, and then the rest. */
  #rebuild() {
    const scene = this.#scene;
    if (!scene) return;
    drawStill(cleared(this.still, this.scale.width, HEIGHT), scene);
    drawStillStrip(cleared(this.stillStrip, this.scale.width, STRIP), scene);
    this.draw();
  }

  draw() {
    const scene = this.#scene;
    if (!scene) return;
    const { scale } = this;
    const { left, top, bottom } = scale.plot;
    const y = Math.min(bottom, Math.max(top, scale.y(this.line)));
    const pen = cleared(this.main, scale.width, HEIGHT);
    pen.drawImage(this.still, 0, 0, scale.width, HEIGHT);
    drawMoving(pen, scene, this.cuts, y, this.pointed);
    this.handle.style.transform = `translateY(${(y - 10).toFixed(1)}px)`;
    this.handle.style.left = `${left}px`;
    this.handle.style.width = `${scale.width - left}px`;
    this.label.textContent = Number.isFinite(this.line) ? fixed(this.line, 2) : "";
    const thin = cleared(this.strip, scale.width, STRIP);
    drawStripCuts(thin, scene, this.cuts.gaps);
    thin.drawImage(this.stillStrip, 0, 0, scale.width, STRIP);
    const x = scale.stripX(scale.from - 0.5);
    this.brush.style.left = `${x}px`;
    this.brush.style.width = `${Math.max(10, scale.stripX(scale.to - 0.5) - x)}px`;
    this.brush.hidden = scale.count <= FEWEST;
  }
}
