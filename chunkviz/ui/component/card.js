/** The card that says what is known about a chunk or a cut. It floats above the page and is filled with text only. */

import { make } from "./make.js";
import * as words from "./words.js";

/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").Column} Column */

const GAP = 14; // pixels between the pointer and the card

export class Card {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.element = make("div", "card");
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "About this chunk");
    this.element.dataset.testid = "chunk-card";
    // The top layer: nothing around the viewer can clip it.
    this.element.popover = "manual";
    this.pinned = false;
    root.append(this.element);
  }

  get open() {
    return this.element.matches(":popover-open");
  }

  /**
   * @param {Node[]} content
   * @param {{x: number, y: number}} at in the window
   * @param {boolean} pinned stays until Escape or a click elsewhere
   */
  show(content, at, pinned) {
    this.pinned = pinned;
    this.element.classList.toggle("pinned", pinned);
    this.element.replaceChildren(...content);
    if (pinned) this.element.append(make("div", "hint", "Esc closes"));
    if (!this.open) this.element.showPopover();
    const { width, height } = this.element.getBoundingClientRect();
    const left = at.x + GAP + width > innerWidth ? at.x - GAP - width : at.x + GAP;
    const top = at.y + GAP + height > innerHeight ? at.y - GAP - height : at.y + GAP;
    this.element.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
    this.element.style.top = `${Math.max(4, top)}px`;
  }

  hide() {
    this.pinned = false;
    if (this.open) this.element.hidePopover();
  }
}

/**
 * @param {string} label
 * @param {string} text
 * @param {string} [kind]
 */
function line(label, text, kind = "") {
  const element = make("div", `line ${kind}`);
  const value = make("span", "value", text);
  value.dir = "auto";
  element.append(make("span", "label", label), value);
  return element;
}

/**
 * What is known about a chunk.
 *
 * @param {Doc} doc
 * @param {Column} column
 * @param {number} chunk
 * @param {{first: number, last: number}} [piece] the piece pointed at: says so where chunks overlap in it
 * @returns {Node[]}
 */
export function aboutChunk(doc, column, chunk, piece) {
  const head = make("div", "card-head");
  head.append(make("strong", "", words.name(column, chunk)), make("span", "size", words.size(column, chunk)));
  /** @type {Node[]} */
  const content = [head];
  if (column.limit) {
    const meter = make("div", "meter");
    const fill = make("div", column.tokens[chunk] > column.limit ? "over" : "");
    fill.style.width = `${Math.min(100, (100 * column.tokens[chunk]) / column.limit)}%`;
    meter.append(fill);
    content.push(meter);
  }
  if (piece && piece.first < piece.last) {
    const others = [];
    for (let i = piece.first; i <= piece.last; i++) if (i !== chunk) others.push(words.number(i + 1));
    content.push(line("Overlap", `this text is also in chunk ${others.join(", ")}`));
  }
  content.push(line("Starts", words.beginning(column, chunk)), line("Ends", words.ending(column, chunk)));
  const path = column.paths[column.path[chunk]];
  if (path.length) content.push(line("Under", path.join(" › ")));
  const pages = words.pages(doc, column, chunk);
  if (pages) content.push(line("On", pages));
  const context = column.contexts[column.context[chunk]];
  if (context) content.push(line("Embedded with", context.length > 200 ? `${context.slice(0, 199)}…` : context));
  for (const flag of column.flags.get(chunk) ?? []) content.push(line(flag.name, flag.reason, "flag"));
  return content;
}

/**
 * Why there is a cut before a chunk.
 *
 * @param {Column} column
 * @param {number} chunk
 * @returns {Node[]}
 */
export function aboutCut(column, chunk) {
  const head = make("div", "card-head");
  head.append(make("strong", "", chunk ? `Cut before chunk ${words.number(chunk + 1)}` : "The first chunk starts here"));
  const content = [head];
  if (chunk > 0) {
    content.push(line("Why", words.ending(column, chunk - 1)));
    const shared = column.ends[chunk - 1] > column.starts[chunk];
    if (shared) content.push(line("Overlap", `chunk ${words.number(chunk)} goes on; the striped text is in both`));
  }
  return content;
}
