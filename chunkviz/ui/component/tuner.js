/**
 * A threshold that is dragged: the curve, and everything that follows it without a word to the server. On release the
 * server is told, and what it answers with is the same, to the character.
 */

import { chunkColors } from "./colors.js";
import { Curve } from "./curve.js";
import { gapBefore } from "./curve-scale.js";
import { make } from "./make.js";
import { Sizes } from "./sizes.js";
import { whatElse, whatItDoes } from "./tuner-words.js";
import { amountAt, chunksOf, ending, fixed, legal, levelAt, levelOf, ordered, regroup, shown } from "./turns.js";
import { plural } from "./words.js";

/** @typedef {import("./codec.js").Turns} Turns */
/** @typedef {import("./codec.js").Column} Column */
/** @typedef {import("./codec.js").Doc} Doc */

const QUIET_MS = 400; // after the last key, before the server is told
const IDLE_MS = 150; // after the last move, before the neighbours of a threshold are worked out

/**
 * @typedef {object} Hooks
 * @property {(column: Column) => void} live show these chunks in the first column
 * @property {(param: string, amount: number) => void} commit tell the server
 * @property {(start: number, end: number, text: string) => void} go show a place of the document
 */

export class Tuner {
  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    this.element = make("section", "tuner");
    this.element.setAttribute("aria-label", "Similarity of neighbouring sentences, and the threshold");
    this.curve = new Curve({
      drag: (value) => this.#drag(value),
      nudge: (steps) => this.#set(this.amount + this.#sign * steps * this.#shown.step, "key"),
      extreme: (end) => this.#set(this.#sign > 0 === (end === "high") ? this.#shown.high : this.#shown.low, "key"),
      release: () => this.#commit(),
      choose: (gap) => this.#choose(gap),
      themed: () => {
        if (this.turns) this.#redraw();
      },
    });
    this.sizes = new Sizes();
    this.words = make("p", "tuner-words");
    this.words.setAttribute("role", "status");
    this.nearby = make("p", "tuner-nearby");
    this.dip = make("blockquote", "tuner-dip");
    this.dip.hidden = true;
    const row = make("div", "tuner-row");
    row.append(this.curve.element, this.sizes.element);
    this.element.append(row, this.words, this.nearby, this.dip);
  }

  /** @type {Turns | null} */
  turns = null;
  /** @type {Column | null} */
  column = null;
  /** @type {Doc | null} */
  doc = null;
  sorted = new Float64Array(0);
  amount = 0;
  /** @type {number | null} */
  wanted = null;
  /** Where the sentence after the dip that was clicked begins. @type {number | null} */
  chosen = null;
  frame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  quiet = undefined;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  idle = undefined;

  get #shown() {
    if (!this.turns) throw new Error("There is no threshold yet.");
    return this.turns;
  }

  /** Whether a larger amount moves the line up. */
  get #sign() {
    const { kind, axis } = this.#shown;
    return kind === "absolute" || axis !== "similarity" ? 1 : -1;
  }

  destroy() {
    clearTimeout(this.quiet);
    clearTimeout(this.idle);
    cancelAnimationFrame(this.frame);
    this.curve.destroy();
  }

  retheme() {
    this.curve.retheme();
  }

  /**
   * What the server sent: the same chunks as were shown last, where it was told of them.
   *
   * @param {Doc} doc
   * @param {Turns | null} turns
   * @param {Column} column
   */
  show(doc, turns, column) {
    this.element.hidden = !turns;
    if (!turns) {
      this.turns = null;
      return;
    }
    if (this.doc?.id !== doc.id) this.chosen = null;
    this.doc = doc;
    this.column = column;
    this.turns = turns;
    this.sorted = ordered(turns);
    this.amount = turns.amount;
    this.sizes.setRange(turns.size, turns.limit);
    // Without two sentences to compare there is no curve, and no line that would do anything.
    this.curve.element.hidden = !this.sorted.length;
    if (!this.curve.inks.ink) this.curve.retheme();
    this.curve.show(turns, doc.id);
    this.#showDip();
    const { level, made } = this.#cut(this.amount);
    // The browser's cut and Python's are told apart here, for the tests.
    this.element.dataset.agrees = String(agree(turns, made, level, column));
    this.#redraw();
    this.#compare();
  }

  /** @param {number} amount */
  #cut(amount) {
    const level = levelOf(this.#shown, amount, this.sorted);
    return { level, made: regroup(this.#shown, level) };
  }

  /** @param {number} value of the axis */
  #drag(value) {
    const turns = this.#shown;
    this.#set(amountAt(turns, levelAt(turns, value), this.sorted), "pointer");
  }

  /**
   * @param {number} amount
   * @param {"pointer" | "key"} by
   */
  #set(amount, by) {
    this.wanted = legal(this.#shown, amount);
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.#apply();
      });
    }
    clearTimeout(this.quiet);
    if (by === "key") {
      this.amount = this.wanted;
      this.quiet = setTimeout(() => this.#commit(), QUIET_MS);
    }
  }

  /** Cut again, once per frame at most. */
  #apply() {
    if (this.wanted === null) return;
    this.amount = this.wanted;
    this.wanted = null;
    const base = /** @type {Column} */ (this.column);
    const turns = this.#shown;
    const { level, made } = this.#cut(this.amount);
    const chunks = chunksOf(turns, made);
    /** @type {number[]} */
    const over = [];
    for (let i = 0; i < chunks.count; i++) if (chunks.tokens[i] > turns.size) over.push(i);
    this.hooks.live({
      ...base,
      ...chunks,
      paths: turns.paths,
      endingOf: (chunk) => ending(turns, made, level, chunk),
      flags: new Map(over.map((i) => [i, [{ name: "oversize", reason: "counts more than the largest chunk" }]])),
      oversize: over,
      marks: [],
      context: new Uint32Array(chunks.count),
      contexts: [""],
    });
    this.#draw(level, made, chunks);
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.#compare(), IDLE_MS);
  }

  #redraw() {
    const { level, made } = this.#cut(this.amount);
    this.#draw(level, made, chunksOf(this.#shown, made));
  }

  /**
   * @param {number} level
   * @param {import("./turns.js").Regrouped} made
   * @param {ReturnType<typeof chunksOf>} chunks
   */
  #draw(level, made, chunks) {
    const turns = this.#shown;
    const gaps = made.firsts.slice(1).map((first) => first - 1);
    this.curve.move(shown(turns, level), gaps, chunkColors(chunks.starts, chunks.ends));
    const word = /** @type {Column} */ (this.column).word;
    this.sizes.draw(chunks.tokens, word, this.curve.inks);
    const text = whatItDoes(turns, made, this.sorted.length, word);
    if (this.words.textContent !== text) this.words.textContent = text;
    this.curve.say({
      amount: this.amount,
      low: turns.low,
      high: turns.high,
      text: `${turns.label} ${this.amount} ${turns.unit}: ${plural(chunks.count, "chunk")}`,
    });
    this.element.dataset.amount = String(this.amount);
  }

  /** What a tenth more or less would do. */
  #compare() {
    if (!this.turns) return;
    const countAt = (/** @type {number} */ amount) => this.#cut(amount).made.firsts.length;
    this.nearby.textContent = this.sorted.length ? whatElse(this.turns, this.amount, countAt) : "";
  }

  #commit() {
    clearTimeout(this.quiet);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.#apply();
    this.hooks.commit(this.#shown.param, this.amount);
  }

  /** @param {number} gap a dip that was clicked */
  #choose(gap) {
    const turns = this.#shown;
    this.chosen = turns.starts[gap + 1];
    this.#showDip();
    this.hooks.go(turns.starts[gap + 1], turns.ends[gap + 1], `Similarity ${fixed(turns.values[gap], 2)} before this sentence`);
  }

  /** The two sentences beside the dip that was clicked last; they stay while other settings are tried. */
  #showDip() {
    const turns = this.#shown;
    const gap = this.chosen === null ? -1 : gapBefore(turns.starts, this.chosen);
    this.dip.hidden = gap < 0;
    if (gap < 0) return;
    const text = /** @type {Doc} */ (this.doc).text;
    const sentence = (/** @type {number} */ unit) =>
      text.slice(turns.starts[unit], Math.min(turns.ends[unit], turns.starts[unit] + 300)).replace(/\s+/g, " ");
    this.dip.replaceChildren(
      make("span", "dip-before", sentence(gap)),
      make("strong", "", `similarity ${fixed(turns.values[gap], 2)}`),
      make("span", "dip-after", sentence(gap + 1)),
    );
    this.curve.point(gap);
  }

  /**
   * Mark the place on the curve that belongs to a position of the text.
   * @param {number | null} position
   */
  point(position) {
    if (!this.turns) return;
    this.curve.point(position === null ? null : this.#gapBefore(position));
  }

  /** @param {number} position the first that is in sight */
  follow(position) {
    if (this.turns) this.curve.follow(this.#gapBefore(position));
  }

  /** @param {number} position */
  #gapBefore(position) {
    return Math.max(0, gapBefore(this.#shown.starts, position));
  }
}

/**
 * Whether the browser has cut where Python did, and says the same reasons.
 *
 * @param {Turns} turns
 * @param {import("./turns.js").Regrouped} made
 * @param {number} level
 * @param {Column} column as Python sent it
 */
function agree(turns, made, level, column) {
  const { starts } = chunksOf(turns, made);
  return (
    starts.length === column.starts.length &&
    starts.every((start, i) => start === column.starts[i] && ending(turns, made, level, i) === column.reasons[column.reason[i]])
  );
}
