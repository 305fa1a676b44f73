/** How large the chunks are, as a small histogram that keeps up with a line that is dragged. */

import { make } from "./make.js";
import { number, plural } from "./words.js";

const WIDTH = 250;
const HEIGHT = 120;
const BARS = 30;
const BASE = 18;

export class Sizes {
  constructor() {
    this.element = make("figure", "sizes");
    this.canvas = make("canvas", "");
    this.canvas.setAttribute("role", "img");
    this.caption = make("figcaption", "", "");
    this.element.append(this.caption, this.canvas);
    this.top = 1;
  }

  /**
   * @param {number} size the most that a chunk may count
   * @param {number | null} limit what the embedding model reads
   */
  setRange(size, limit) {
    this.top = Math.max(size, 1);
    this.limit = limit;
  }

  /** @type {number | null | undefined} */
  limit = null;

  /**
   * @param {Uint32Array} tokens of the chunks
   * @param {string} word what they count
   * @param {Record<string, string>} inks
   */
  draw(tokens, word, inks) {
    if (!inks.accent) return; // the style sheet is on its way
    const ratio = globalThis.devicePixelRatio || 1;
    this.canvas.width = WIDTH * ratio;
    this.canvas.height = HEIGHT * ratio;
    this.canvas.style.width = `${WIDTH}px`;
    this.canvas.style.height = `${HEIGHT}px`;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const counts = new Array(BARS).fill(0);
    let most = 0;
    let largest = 0;
    for (const count of tokens) {
      const at = Math.min(BARS - 1, Math.floor((count / this.top) * BARS));
      counts[at]++;
      if (counts[at] > most) most = counts[at];
      if (count > largest) largest = count;
    }
    const floor = HEIGHT - BASE;
    const width = WIDTH / BARS;
    pen.fillStyle = inks.accent;
    counts.forEach((count, i) => {
      if (!count) return;
      const height = Math.max(2, (count / most) * (floor - 6));
      pen.fillRect(i * width + 0.5, floor - height, width - 1, height);
    });
    pen.fillStyle = inks.faint;
    pen.fillRect(0, floor, WIDTH, 1);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "top";
    pen.textAlign = "left";
    pen.fillText("0", 0, floor + 4);
    pen.textAlign = "right";
    pen.fillText(`${number(this.top)} ${word}`, WIDTH, floor + 4);
    if (this.limit && this.limit < this.top) {
      const x = (this.limit / this.top) * WIDTH;
      pen.fillStyle = inks.cut;
      for (let y = 0; y < floor; y += 6) pen.fillRect(x, y, 1.5, 3);
    }
    this.caption.textContent = "How large the chunks are";
    this.canvas.setAttribute("aria-label", `${plural(tokens.length, "chunk")}; the largest counts ${number(largest)} ${word}.`);
  }
}
