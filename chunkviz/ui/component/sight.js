/** What of the document is in sight, and how a place comes into it. */

/** @typedef {import("./render.js").Renderer} Renderer */

const TRIES = 3; // frames in which a jump is mended
const BELOW = 24; // pixels at the bottom that do not count as seen

export class Sight {
  /** @param {Renderer} renderer */
  constructor(renderer) {
    this.renderer = renderer;
    /** How often something was to come into sight: a later wish ends an earlier one. */
    this.wishes = 0;
  }

  /**
   * Bring `position` into sight, a quarter below the top of the visible part.
   *
   * Heights of groups that were never shown are guesses, so the first jump may miss; it is mended in the next frames.
   *
   * @param {number} at column
   * @param {number} position
   */
  reveal(at, position) {
    const group = this.renderer.groupAt(position);
    const wish = ++this.wishes;
    const settle = (/** @type {number} */ tries) => {
      if (wish !== this.wishes || !this.renderer.tracks[at]) return;
      this.renderer.paintNear(group);
      this.#scrollTo(at, position, group);
      if (tries > 0) requestAnimationFrame(() => settle(tries - 1));
    };
    settle(TRIES);
  }

  /**
   * @param {number} at column
   * @param {number} position
   * @param {number} group that holds it
   */
  #scrollTo(at, position, group) {
    const { renderer } = this;
    const { scroller } = renderer;
    const track = renderer.tracks[at];
    const [range] = renderer.ranges(at, position, position + 1);
    const target = range ?? track.cells[group].element;
    const box = scroller.getBoundingClientRect();
    const rect = target.getBoundingClientRect();
    const headHeight = track.head.offsetHeight;
    const seen = rect.top >= box.top + headHeight && rect.bottom <= box.bottom - BELOW;
    if (!seen) scroller.scrollTop += rect.top - box.top - headHeight - box.height / 5;
    const side = track.element.getBoundingClientRect();
    if (side.left < box.left || side.right > box.right) scroller.scrollLeft += side.left - box.left;
  }

  /** The offset of the first row that can be seen, for "next from here". */
  firstVisible() {
    const { renderer } = this;
    const box = renderer.scroller.getBoundingClientRect();
    const track = renderer.tracks[0];
    if (!track) return 0;
    const top = box.top + track.head.offsetHeight;
    for (const group of Array.from(renderer.near).sort((a, b) => a - b)) {
      for (const [i, row] of track.cells[group].rows.entries()) {
        if (row.getBoundingClientRect().bottom > top) return renderer.rowStart(renderer.groups[group] + i);
      }
    }
    return 0;
  }
}
