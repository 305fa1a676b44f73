/** Lights up, in every column, the chunk that is pointed at or current, the place jumped to, and the marked chunks. */

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./moving.js").Place} Place */

/**
 * What is needed of the viewer.
 * @typedef {object} Host
 * @property {View | null} view
 * @property {Doc | null} doc
 * @property {Place | null} current
 * @property {Place | null} hovered
 * @property {{start: number, end: number} | null} mark
 * @property {{column: number, chunks: number[]} | null} picked
 * @property {import("./render.js").Renderer} renderer
 * @property {import("./marks.js").Marks} marks
 * @property {import("./agreement.js").Agreement} agreement
 * @property {{light: () => void}} editing
 */

export class Lighting {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.waiting = false;
  }

  /** Light up again what is lit up, after the page has changed under it; once per frame. */
  soon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.now();
      const { view, doc, agreement, renderer } = this.host;
      if (view && doc) agreement.mark(view, doc.text, renderer);
    });
  }

  now() {
    const { view, renderer, marks, editing, hovered, current, mark, picked } = this.host;
    if (!view) return;
    const everywhere = (/** @type {number} */ start, /** @type {number} */ end) =>
      view.columns.flatMap((_, at) => renderer.ranges(at, start, end));
    editing.light();
    const place = hovered ?? current;
    const own = place && view.columns[place.column];
    marks.set("lit", place && own ? everywhere(own.starts[place.chunk], own.ends[place.chunk]) : []);
    marks.set("mark", mark ? everywhere(mark.start, mark.end) : []);
    const column = picked && view.columns[picked.column];
    marks.set(
      "picked",
      picked && column
        ? picked.chunks.flatMap((i) => renderer.ranges(picked.column, column.starts[i], column.ends[i]))
        : [],
    );
  }
}
