/**
 * Columns that follow their sliders: cut again in the browser with every step, while the server is still on its way to
 * the same result.
 */

import { resized } from "./resizing.js";
import { Sliders } from "./sliders.js";

/** @typedef {import("./codec.js").Column} Column */
/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./resizing.js").Resizing} Resizing */
/** @typedef {Record<string, number>} Values */

/**
 * @typedef {object} Hooks
 * @property {() => {view: View, text: string} | null} shown
 * @property {(at: number, column: Column) => void} live show these chunks in a column
 * @property {(at: number, column: Column) => void} back show what the server said of a column
 */

const KEPT = 8; // as many as two documents of four columns need

/** What came in, the latest last. @type {Map<string, Resizing>} */
const known = new Map();

/**
 * @param {string} key
 * @param {() => Resizing} read
 */
export function keep(key, read) {
  const data = known.get(key) ?? read();
  known.delete(key);
  known.set(key, data);
  while (known.size > KEPT) known.delete(/** @type {string} */ (known.keys().next().value));
}

export class Following {
  /** @param {Hooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    this.sliders = new Sliders((column, values) => this.#moved(column, values));
  }

  /** What the sliders say and the server has not answered yet, by column. @type {Map<number, Values>} */
  pending = new Map();

  /** The columns as the server sent them last. @type {Column[]} */
  sent = [];

  destroy() {
    this.sliders.destroy();
  }

  /**
   * The server's view is shown. It may be the answer to an earlier step: then the later one is cut again.
   * @param {View} view
   */
  receive(view) {
    this.sent = view.columns;
    this.sliders.watch(view.columns.map((column) => column.following));
    for (const [at, values] of Array.from(this.pending)) {
      const following = view.columns[at]?.following;
      if (!following || !known.has(following.key) || same(following.values, values)) this.pending.delete(at);
      else this.#cut(at, values);
    }
  }

  /**
   * @param {number} at
   * @param {Values} read
   */
  #moved(at, read) {
    const following = this.hooks.shown()?.view.columns[at]?.following;
    if (!following) return;
    const values = { ...following.values, ...read };
    // As the server does: the overlap stays below the size.
    if (values.overlap !== undefined) values.overlap = Math.max(0, Math.min(values.overlap, values.size - 1));
    if (same(this.pending.get(at) ?? following.values, values)) return;
    if (same(following.values, values)) {
      // Back where it was: the page may see nothing new in that, and the server would not be asked.
      this.pending.delete(at);
      this.hooks.back(at, this.sent[at]);
      return;
    }
    this.pending.set(at, values);
    this.#cut(at, values);
  }

  /**
   * @param {number} at
   * @param {Values} values
   */
  #cut(at, values) {
    const shown = this.hooks.shown();
    const base = shown?.view.columns[at];
    const data = base?.following && known.get(base.following.key);
    if (!shown || !base || !data) return;
    const spans = resized(data, shown.text, { size: values.size, overlap: values.overlap ?? 0 });
    if (spans) this.hooks.live(at, asColumn(base, spans, values));
  }
}

/**
 * Chunks that the browser cut, as a column: without what only the server knows of each (reasons, headings, pages, flags).
 *
 * @param {Column} base the column before
 * @param {import("./resizing.js").Spans} spans
 * @param {Values} values
 * @returns {Column}
 */
function asColumn(base, spans, values) {
  const count = spans.starts.length;
  const none = new Uint32Array(count);
  return {
    ...base,
    ...spans,
    count,
    subtitle: renamed(base, values),
    limit: values.size,
    endingOf: (chunk) => (chunk + 1 < count ? "cut this moment; the reason comes with the next answer" : "end of the document"),
    reason: none,
    paths: [[]],
    path: none,
    contexts: [""],
    context: none,
    pageFirst: none,
    pageLast: none,
    flags: new Map(),
    oversize: [],
    marks: [],
  };
}

/**
 * The line under a column's title with other values in it.
 *
 * @param {Column} base
 * @param {Values} values
 */
function renamed(base, values) {
  const words = base.subtitle.split(" · ").filter((word) => !(word.split(" ")[0] in values));
  const own = Object.entries(values).filter(([, value]) => value !== 0);
  return [...own.map(([name, value]) => `${name} ${value}`), ...words].join(" · ");
}

/**
 * @param {Values} a
 * @param {Values} b
 */
function same(a, b) {
  return Object.keys({ ...a, ...b }).every((name) => a[name] === b[name]);
}
