/**
 * What became of the text, above each column: how many chunks, how large, and the figures that deserve a look. A figure
 * with places behind it is a button that leads from one to the next.
 */

import { make } from "./make.js";
import { plural } from "./words.js";

/** @typedef {import("./codec.js").View} View */

export class Audit {
  /**
   * @param {(column: number, mark: number) => void} follow go to the next place behind a figure
   */
  constructor(follow) {
    this.follow = follow;
    this.element = make("div", "audit");
    this.shown = "";
  }

  /** @param {View} view */
  update(view) {
    this.element.hidden = view.columns.every((column) => !column.audit);
    this.element.style.setProperty("--columns", String(view.columns.length));
    const text = JSON.stringify(view.columns.map((column) => column.audit));
    if (text === this.shown) return; // what has the focus keeps it
    this.shown = text;
    const focused = this.#focused();
    this.element.replaceChildren(...view.columns.map((column, at) => this.#column(column.audit, at)));
    if (focused) this.#focus(focused);
  }

  /**
   * A column is being cut again: its count is known, the rest is that of the cut before until the server has answered.
   *
   * @param {number} at column
   * @param {number} count of its chunks
   */
  recount(at, count) {
    const column = this.element.children[at];
    const headline = column?.querySelector(".audit-headline");
    if (!headline) return;
    headline.textContent = plural(count, "chunk");
    column.classList.add("following");
    this.shown = "";
  }

  /** Which figure has the focus, if one has: it is made anew. */
  #focused() {
    const root = /** @type {ShadowRoot | Document} */ (this.element.getRootNode());
    const active = root.activeElement;
    return active instanceof HTMLElement && this.element.contains(active) ? active.dataset.figure : undefined;
  }

  /** @param {string} figure */
  #focus(figure) {
    const found = Array.from(this.element.querySelectorAll("button")).find((b) => b.dataset.figure === figure);
    found?.focus({ preventScroll: true });
  }

  /**
   * @param {import("./codec.js").Audit | null} audit
   * @param {number} at
   */
  #column(audit, at) {
    const element = make("div", "audit-column");
    if (!audit) return element;
    const line = make("div", "audit-line");
    const sizes = make("span", "audit-sizes", audit.sizes);
    sizes.title = audit.sizesHelp;
    line.append(make("strong", "audit-headline", audit.headline), sizes);
    const chips = make("div", "audit-chips");
    const fine = make("div", "audit-fine");
    for (const [title, text, help, bad, mark] of audit.chips) {
      const chip = mark >= 0 ? make("button", "audit-chip") : make("span", bad ? "audit-chip" : "audit-figure");
      chip.classList.toggle("bad", bad);
      chip.title = mark >= 0 ? `${help} Click to go from one to the next.` : help;
      chip.append(`${title} `, make("b", "", text));
      if (chip instanceof HTMLButtonElement) {
        chip.type = "button";
        chip.dataset.figure = `${at} ${title}`;
        chip.setAttribute("aria-label", `${title}: ${text}. Go to the next one.`);
        chip.addEventListener("click", () => this.follow(at, mark));
      }
      (bad || mark >= 0 ? chips : fine).append(chip);
    }
    element.append(line, chips, fine);
    return element;
  }
}
