/** The buttons above the columns: the same moves as the keys, with what they would find. */

import { make } from "./make.js";
import { number, plural } from "./words.js";

/** @typedef {import("./codec.js").View} View */

/**
 * @typedef {object} Moves
 * @property {(direction: 1 | -1) => void} chunk
 * @property {(direction: 1 | -1) => void} difference
 * @property {(direction: 1 | -1) => void} oversize
 * @property {(direction: 1 | -1) => void} mark
 * @property {(direction: 1 | -1) => void} picked
 * @property {(index: number) => void} chooseMark
 * @property {() => void} unpick
 * @property {(reason: string) => void} refuse says why a button does nothing now
 */

export class Toolbar {
  /** @param {Moves} moves */
  constructor(moves) {
    this.moves = moves;
    this.element = make("div", "toolbar");
    this.element.setAttribute("role", "toolbar");
    this.element.setAttribute("aria-label", "Move through the document");
    this.chunk = this.#pair("chunk", "Chunk", "↑ or p", "↓ or n", moves.chunk);
    this.difference = this.#pair("difference", "Differences", "Shift+d", "d", moves.difference);
    this.oversize = this.#pair("oversize", "Oversize", "Shift+o", "o", moves.oversize);
    this.mark = this.#pair("finding", "", "Shift+m", "m", moves.mark);
    this.select = make("select");
    this.select.setAttribute("aria-label", "Findings to go through");
    this.select.addEventListener("change", () => moves.chooseMark(this.select.selectedIndex));
    this.mark.label.append(this.select);
    this.picked = this.#pair("picked chunk", "", "", "", moves.picked);
    const close = this.#button("✕", "Stop marking these chunks", moves.unpick);
    this.picked.element.append(close);
    this.picked.element.classList.add("chip");
    this.where = make("span", "where");
    this.element.append(this.where);
  }

  /**
   * @param {string} text
   * @param {string} title
   * @param {() => void} act
   */
  #button(text, title, act) {
    const button = make("button", "", text);
    button.type = "button";
    button.title = title;
    button.setAttribute("aria-label", title);
    button.addEventListener("click", () => {
      const reason = button.dataset.reason;
      if (reason) this.moves.refuse(reason);
      else act();
    });
    return button;
  }

  /**
   * @param {string} thing
   * @param {string} label
   * @param {string} keyBack
   * @param {string} keyOn
   * @param {(direction: 1 | -1) => void} move
   */
  #pair(thing, label, keyBack, keyOn, move) {
    const element = make("span", "pair");
    const named = (/** @type {string} */ way, /** @type {string} */ key) => `${way} ${thing}${key ? ` (${key})` : ""}`;
    const back = this.#button("‹", named("Previous", keyBack), () => move(-1));
    const on = this.#button("›", named("Next", keyOn), () => move(1));
    const text = make("span", "pair-label", label);
    element.append(back, text, on);
    this.element.append(element);
    return { element, label: text, buttons: [back, on], titles: [back.title, on.title] };
  }

  /**
   * @param {{buttons: HTMLButtonElement[], titles: string[]}} pair
   * @param {string} reason why it can do nothing, "" if it can
   */
  #allow(pair, reason) {
    pair.buttons.forEach((button, i) => {
      // Not `disabled`: a button that cannot be reached cannot say why.
      button.setAttribute("aria-disabled", String(Boolean(reason)));
      button.dataset.reason = reason;
      button.title = reason || pair.titles[i];
    });
  }

  /**
   * @param {View} view
   * @param {number} column the one that keys act on
   * @param {number} mark the kind of finding chosen
   * @param {{label: string, count: number} | null} picked
   */
  update(view, column, mark, picked) {
    const own = view.columns[column];
    this.#allow(this.chunk, own.count ? "" : "This column has no chunks.");
    const differences = view.differences.length;
    this.difference.label.textContent = view.columns.length < 2 ? "Differences" : plural(differences, "difference");
    this.#allow(
      this.difference,
      view.columns.length < 2
        ? "One column has nothing to differ from. Add a second strategy."
        : differences
          ? ""
          : "All columns cut at the same places.",
    );
    this.oversize.label.textContent = `${number(own.oversize.length)} oversize${view.columns.length > 1 ? " here" : ""}`;
    this.#allow(this.oversize, own.oversize.length ? "" : "No chunk of this column is over its size.");
    this.mark.element.hidden = own.marks.length === 0;
    const titles = own.marks.map((kind) => `${kind.title} (${number(kind.starts.length)})`);
    if (titles.join("\n") !== Array.from(this.select.options, (o) => o.text).join("\n")) {
      this.select.replaceChildren(...titles.map((title) => new Option(title)));
    }
    if (own.marks.length) {
      this.select.selectedIndex = mark;
      this.#allow(this.mark, own.marks[mark].starts.length ? "" : "There is nothing to go to.");
    }
    this.picked.element.hidden = !picked;
    if (picked) this.picked.label.textContent = picked.label || plural(picked.count, "chunk");
  }

  /** @param {string} text */
  say(text) {
    this.where.textContent = text;
  }
}
