/**
 * What the page asks the viewer to show: chunks to mark, and a place to go to. Each request has a nonce, because it
 * travels again with every view: it is carried out once, and not again after the reader has moved on.
 */

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./moving.js").Place} Place */

/**
 * What is needed of the viewer.
 * @typedef {object} Host
 * @property {Place | null} current
 * @property {{column: number, chunks: number[], label: string} | null} picked
 * @property {Pick<import("./sight.js").Sight, "reveal">} sight
 * @property {Pick<import("./moving.js").Moving, "go" | "goTo">} moving
 * @property {(text: string) => void} speak
 * @property {() => void} update
 * @property {() => void} light
 */

export class Asked {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.picked = "";
    this.focused = "";
  }

  /**
   * Mark the chunks that the view asks for, and bring the first of them into sight.
   * @param {View} view
   */
  pick({ highlight, columns }) {
    const { host } = this;
    if (!highlight) {
      host.picked = null;
      this.picked = "";
      return;
    }
    const { column, nonce, label } = highlight;
    const fresh = nonce !== this.picked;
    if (!fresh && !host.picked) return; // closed by hand; stays so until something else is asked
    const own = columns[column];
    const chunks = own ? highlight.chunks.filter((i) => i < own.count) : [];
    host.picked = chunks.length ? { column, chunks, label } : null;
    if (fresh && host.picked) host.sight.reveal(column, own.starts[chunks[0]]);
    this.picked = nonce;
  }

  /**
   * Go where the view asks to.
   * @param {View} view
   */
  focus({ focus, columns }) {
    const { host } = this;
    if (!focus || focus.nonce === this.focused || !columns[focus.column]) return;
    const { column, chunk, start, end } = focus;
    this.focused = focus.nonce;
    if (chunk !== null) {
      if (chunk < columns[column].count) host.moving.go({ column, chunk });
    } else if (start === end) {
      // A place without text in it: nothing to mark, and nothing to say.
      host.current = null;
      host.speak("");
      host.sight.reveal(column, start);
      host.update();
      host.light();
    } else {
      host.moving.goTo(column, start, end, "Found");
    }
  }
}
