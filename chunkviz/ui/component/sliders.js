/**
 * Watches the page's own sliders, so that the text follows while one moves and not only when the server has heard of it.
 *
 * Streamlit marks every control with a class made of its key, and a slider holds an `<input type="range">` whose
 * `aria-valuetext` changes with every step: both are what a stylesheet or a screen reader relies on, too. Where a page
 * has other sliders than these, nothing is seen, and the text follows the server as ever.
 */

/** @typedef {Record<string, number>} Values by name of the parameter */

export class Sliders {
  /** @param {(column: number, values: Values) => void} moved */
  constructor(moved) {
    this.moved = moved;
    this.observer = new MutationObserver((records) => this.#changed(records));
    this.observer.observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext"] });
  }

  /** Class of each slider, by name of its parameter, for each column. @type {Record<string, string>[]} */
  controls = [];

  destroy() {
    this.observer.disconnect();
  }

  /** @param {({controls: Record<string, string>} | undefined)[]} following one entry a column */
  watch(following) {
    this.controls = following.map((one) => one?.controls ?? {});
  }

  /** @param {MutationRecord[]} records */
  #changed(records) {
    /** @type {Set<number>} */
    const touched = new Set();
    for (const { target } of records) {
      this.controls.forEach((controls, column) => {
        for (const name of Object.values(controls)) {
          if (target instanceof Element && target.closest(`.${CSS.escape(name)}`)) touched.add(column);
        }
      });
    }
    for (const column of touched) this.moved(column, this.#values(column));
  }

  /** @param {number} column */
  #values(column) {
    /** @type {Values} */
    const found = {};
    for (const [param, name] of Object.entries(this.controls[column])) {
      const input = document.querySelector(`.${CSS.escape(name)} input[type="range"]`);
      if (input instanceof HTMLInputElement && input.value !== "") found[param] = Number(input.value);
    }
    return found;
  }
}
