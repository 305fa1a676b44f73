/** The documents of this browser tab, and who waits for one: a view may arrive before the document that it is of. */

/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {{retry: () => void}} Waiting what is told that a document has come, which may be another one */

const KEPT = 4; // documents kept, the latest; a view holds on to its own

export class Documents {
  /** By id, the latest last. @type {Map<string, Doc>} */
  #known = new Map();
  /** @type {Set<Waiting>} */
  #waiting = new Set();

  /** @param {string} id */
  has(id) {
    return this.#known.has(id);
  }

  /** @param {string} id */
  get(id) {
    return this.#known.get(id);
  }

  /** @param {Doc} doc */
  add(doc) {
    this.#known.delete(doc.id);
    this.#known.set(doc.id, doc);
    while (this.#known.size > KEPT) this.#known.delete(/** @type {string} */ (this.#known.keys().next().value));
    for (const waiting of Array.from(this.#waiting)) waiting.retry();
  }

  /** @param {Waiting} waiting told of every document that comes, until it leaves */
  wait(waiting) {
    this.#waiting.add(waiting);
  }

  /** @param {Waiting} waiting */
  leave(waiting) {
    this.#waiting.delete(waiting);
  }
}
