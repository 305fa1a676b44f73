/**
 * The curve on its canvases: what stands still while the line moves, and what follows it. Functions that take a pen and
 * what is to be seen; they keep nothing.
 */

import { firstAtLeast, gapBefore, LEFT, RIGHT, STRIP, ticks } from "./curve-scale.js";

/** @typedef {import("./codec.js").Turns} Turns */
/** @typedef {import("./curve-scale.js").Scale} Scale */
/** @typedef {CanvasRenderingContext2D} Pen */
/** @typedef {Record<string, string>} Inks colours by name; those of chunks are c0 to c5 */

/**
 * @typedef {object} Scene
 * @property {Turns} turns
 * @property {Float64Array} values what is drawn: similarities, or the drops of kinds that compare those
 * @property {Scale} scale
 * @property {Inks} inks
 */

/**
 * Where chunks start, as gaps before their first unit, and the colours of all chunks.
 * @typedef {{gaps: ArrayLike<number>, colors: ArrayLike<number>}} Cuts
 */

const BINS = 48;

/**
 * The pen of a canvas that is as large as it must be, and empty.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width CSS pixels
 * @param {number} height CSS pixels
 * @returns {Pen}
 */
export function cleared(canvas, width, height) {
  const ratio = globalThis.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = `${height}px`;
  }
  const pen = /** @type {Pen} */ (canvas.getContext("2d"));
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/**
 * The detail without the line: axis, curve, distribution, and the boundaries that someone marked.
 *
 * @param {Pen} pen
 * @param {Scene} scene
 */
export function drawStill(pen, scene) {
  const { turns, scale, inks } = scene;
  drawAxis(pen, scene);
  trace(pen, scene, scale.from, scale.to, (gap) => scale.x(gap), (value) => scale.y(value));
  drawDistribution(pen, scene);
  const { top, bottom } = scale.plot;
  for (const place of turns.reference) {
    const gap = gapBefore(turns.starts, place);
    if (gap < scale.from || gap >= scale.to) continue;
    const x = scale.x(gap);
    pen.fillStyle = inks.mark;
    pen.beginPath();
    pen.moveTo(x - 4, top - 8);
    pen.lineTo(x + 4, top - 8);
    pen.lineTo(x, top);
    pen.fill();
    pen.globalAlpha = 0.5;
    pen.fillRect(x - 0.5, top, 1, bottom - top);
    pen.globalAlpha = 1;
  }
}

/**
 * The whole curve as a strip.
 *
 * @param {Pen} pen
 * @param {Scene} scene
 */
export function drawStillStrip(pen, scene) {
  const { scale } = scene;
  trace(pen, scene, 0, scale.count, (gap) => scale.stripX(gap), (value) => scale.stripY(value));
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 */
function drawAxis(pen, { turns, scale, inks }) {
  const { left, right, top } = scale.plot;
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.lineWidth = 1;
  for (const value of ticks(scale.low, scale.high)) {
    const y = Math.round(scale.y(value)) + 0.5;
    pen.strokeStyle = inks.line;
    pen.beginPath();
    pen.moveTo(left, y);
    pen.lineTo(right, y);
    pen.stroke();
    pen.fillStyle = inks.faint;
    pen.textAlign = "right";
    pen.fillText(value.toFixed(1), left - 6, y);
  }
  pen.textAlign = "left";
  pen.fillStyle = inks.faint;
  pen.fillText(turns.axis, left + 4, top + 2);
}

/**
 * A line through the values; where several share a pixel, from the lowest to the highest of them.
 *
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} from
 * @param {number} to
 * @param {(gap: number) => number} x
 * @param {(value: number) => number} y
 */
function trace(pen, { turns, values, scale, inks }, from, to, x, y) {
  pen.strokeStyle = inks.faint;
  pen.lineWidth = 1.3;
  pen.lineJoin = "round";
  pen.beginPath();
  const crowded = to - from > (scale.width - LEFT - RIGHT) * 1.5;
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
    if (turns.depths[gap] === -Infinity) continue;
    const at = crowded ? Math.round(x(gap)) : x(gap);
    if (at !== column) {
      flush();
      column = at;
      low = high = values[gap];
    } else {
      low = Math.min(low, values[gap]);
      high = Math.max(high, values[gap]);
    }
  }
  flush();
  pen.stroke();
}

/**
 * How many gaps have which value, in the gutter beside the detail.
 *
 * @param {Pen} pen
 * @param {Scene} scene
 */
function drawDistribution(pen, { turns, values, scale, inks }) {
  const counts = new Array(BINS).fill(0);
  for (let gap = 0; gap < values.length; gap++) {
    if (turns.depths[gap] === -Infinity) continue;
    const at = Math.floor(((values[gap] - scale.low) / (scale.high - scale.low)) * BINS);
    counts[Math.min(BINS - 1, Math.max(0, at))]++;
  }
  const { right, top, bottom } = scale.plot;
  const most = Math.max(1, ...counts);
  const height = (bottom - top) / BINS;
  pen.fillStyle = inks.faint;
  pen.globalAlpha = 0.45;
  counts.forEach((count, i) => {
    if (!count) return;
    const width = Math.max(1.5, Math.sqrt(count / most) * 48);
    pen.fillRect(right + 8, bottom - (i + 1) * height, width, Math.max(1, height - 0.6));
  });
  pen.globalAlpha = 1;
}

/**
 * What follows the line, over the detail: the side that it takes, the cuts, and the gap under the pointer.
 *
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {Cuts} cuts
 * @param {number} y where the line stands, in pixels
 * @param {number | null} pointed a gap
 */
export function drawMoving(pen, scene, cuts, y, pointed) {
  const { turns, scale, inks } = scene;
  const { left, right, top, bottom } = scale.plot;
  // What the threshold takes: the side of the line on which gaps are cuts.
  pen.fillStyle = inks.cut;
  pen.globalAlpha = 0.09;
  if (turns.axis === "similarity") pen.fillRect(left, y, right - left, bottom - y);
  else pen.fillRect(left, top, right - left, y - top);
  pen.globalAlpha = 1;
  drawChunks(pen, scene, cuts);
  drawCuts(pen, scene, cuts.gaps);
  if (pointed !== null && pointed >= scale.from && pointed < scale.to) {
    pen.fillStyle = inks.accent;
    pen.fillRect(scale.x(pointed) - 1, top, 2, bottom - top);
  }
}

/**
 * A stalk and a dot for each cut; at most one a pixel.
 *
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {ArrayLike<number>} gaps
 */
function drawCuts(pen, { turns, values, scale, inks }, gaps) {
  const { top, bottom } = scale.plot;
  pen.fillStyle = inks.cut;
  let column = -1;
  for (let i = firstAtLeast(gaps, scale.from); i < gaps.length && gaps[i] < scale.to; i++) {
    const gap = gaps[i];
    const x = scale.x(gap);
    if (Math.round(x) === column) continue;
    column = Math.round(x);
    const free = turns.depths[gap] === -Infinity; // there is no value to stand at
    const value = free ? top : scale.y(values[gap]);
    pen.globalAlpha = 0.55;
    pen.fillRect(x - 0.5, value, 1, bottom - value);
    pen.globalAlpha = 1;
    if (free) continue;
    pen.beginPath();
    pen.arc(x, value, 3, 0, 2 * Math.PI);
    pen.fill();
  }
}

/**
 * The chunks as a band in the colours of the text.
 *
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {Cuts} cuts
 */
function drawChunks(pen, { scale, inks }, { gaps, colors }) {
  const { bottom, left, right } = scale.plot;
  let x = left;
  for (let i = firstAtLeast(gaps, scale.from); ; i++) {
    const end = i < gaps.length && gaps[i] < scale.to ? scale.x(gaps[i]) : right;
    pen.fillStyle = inks[`c${colors[i] ?? 0}`];
    pen.fillRect(x, bottom + 5, Math.max(0.5, end - x), 11);
    x = end;
    if (end === right) break;
  }
  pen.strokeStyle = inks.faint;
  pen.lineWidth = 1;
  pen.strokeRect(left + 0.5, bottom + 5.5, right - left - 1, 10);
}

/**
 * The cuts in the strip, under its curve.
 *
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {ArrayLike<number>} gaps
 */
export function drawStripCuts(pen, { scale, inks }, gaps) {
  pen.fillStyle = inks.cut;
  pen.globalAlpha = 0.5;
  let column = -1;
  for (let i = 0; i < gaps.length; i++) {
    const x = Math.round(scale.stripX(gaps[i]));
    if (x === column) continue;
    column = x;
    pen.fillRect(x, 0, 1, STRIP);
  }
  pen.globalAlpha = 1;
}
