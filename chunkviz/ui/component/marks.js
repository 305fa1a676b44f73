/**
 * Lights up stretches of text without touching the page: the CSS Custom Highlight API, one name per kind of light.
 * A browser that lacks it gets a class on the pieces instead; these end at the pieces' borders, which is near enough.
 */

/** @typedef {"lit" | "picked" | "mark" | "caret"} Kind */

const KINDS = /** @type {Kind[]} */ (["lit", "picked", "mark", "caret"]);
const SUPPORTED = typeof CSS !== "undefined" && "highlights" in CSS && typeof Highlight !== "undefined";

/** Highlights are named for the whole page, so all viewers share them. @type {Map<Kind, Highlight>} */
const shared = new Map();
if (SUPPORTED) {
  KINDS.forEach((kind, priority) => {
    const highlight = new Highlight();
    highlight.priority = priority;
    shared.set(kind, highlight);
    CSS.highlights.set(`chunkviz-${kind}`, highlight);
  });
}

export class Marks {
  constructor() {
    /** @type {Map<Kind, Range[]>} */
    this.ranges = new Map();
    /** @type {Map<Kind, Element[]>} */
    this.elements = new Map();
  }

  /**
   * @param {Kind} kind
   * @param {Range[]} ranges what is to be lit instead of what was
   */
  set(kind, ranges) {
    const highlight = shared.get(kind);
    if (highlight) {
      for (const range of this.ranges.get(kind) ?? []) highlight.delete(range);
      for (const range of ranges) highlight.add(range);
      this.ranges.set(kind, ranges);
      return;
    }
    for (const element of this.elements.get(kind) ?? []) element.classList.remove(`is-${kind}`);
    const elements = ranges.flatMap(elementsIn);
    for (const element of elements) element.classList.add(`is-${kind}`);
    this.elements.set(kind, elements);
  }

  clear() {
    for (const kind of KINDS) this.set(kind, []);
  }
}

/**
 * The pieces of a row that a range touches.
 * @param {Range} range
 * @returns {Element[]}
 */
function elementsIn(range) {
  const node = range.startContainer;
  const row = (node instanceof Element ? node : node.parentElement)?.closest(".row");
  return row ? Array.from(row.children).filter((child) => range.intersectsNode(child)) : [];
}
