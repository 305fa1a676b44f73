/**
 * What is known of the columns that are edited by hand: their boundaries, the way back, and which edits Python has not
 * answered yet. No page is needed for any of it; `tests/js` runs it under Node.
 */

import { History, redrawn, spansOf } from "./boundaries.js";

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Doc} Doc */

/**
 * @typedef {object} Edited a column that is edited
 * @property {string} docId
 * @property {History} history
 * @property {import("./codec.js").Column} base as it came from Python last: what is known of chunks that stay
 * @property {string} sent name of the last edit sent, "" for none
 * @property {boolean} pending whether Python has not answered it yet
 */

export class Edits {
  /** @param {string} session tells the edits of this page apart from those of the page before a reload */
  constructor(session) {
    this.session = session;
    this.count = 0;
    /** Columns that are edited now. @type {Map<number, Edited>} */
    this.columns = new Map();
    /** Columns that were, until another strategy was chosen there. @type {Map<number, Edited>} */
    this.left = new Map();
  }

  /**
   * A view has come; where it is older than what was drawn here, what was drawn stays.
   *
   * Boundaries that did not come from here (read from a file, begun anew from a strategy's result) are a step that can
   * be undone.
   *
   * @param {Doc} doc
   * @param {View} view
   * @returns {View}
   */
  receive(doc, view) {
    const columns = view.columns.map((column, at) => {
      if (column.edit === undefined) {
        this.#leave(at);
        return column;
      }
      const arrived = Array.from(column.starts.slice(1));
      const known = this.columns.get(at) ?? this.left.get(at);
      this.left.delete(at);
      if (!known || known.docId !== doc.id) {
        this.columns.set(at, { docId: doc.id, history: new History(arrived), base: column, sent: "", pending: false });
        return column;
      }
      this.columns.set(at, known);
      known.base = column;
      if (known.pending && column.edit !== known.sent) return redrawn(column, spansOf(doc.text, known.history.now));
      if (known.pending) known.history.now = arrived;
      else if (!same(known.history.now, arrived)) known.history.push(arrived);
      known.pending = false;
      return column;
    });
    for (const at of Array.from(this.columns.keys())) if (at >= columns.length) this.#leave(at);
    return { ...view, columns };
  }

  /**
   * A column is not edited any more. What was not answered never will be.
   * @param {number} at
   */
  #leave(at) {
    const known = this.columns.get(at);
    if (!known) return;
    this.columns.delete(at);
    this.left.set(at, { ...known, pending: false });
  }

  /**
   * The boundaries of a column are others now.
   *
   * @param {number} at
   * @param {number[]} boundaries
   */
  push(at, boundaries) {
    this.columns.get(at)?.history.push(boundaries);
  }

  /**
   * What to tell Python after an edit of column `at`: all columns that wait for an answer, since a message that follows
   * quickly replaces the one before.
   *
   * @param {number} at
   * @returns {{docId: string, columns: Record<string, {starts: number[], name: string}>} | null}
   */
  message(at) {
    const own = this.columns.get(at);
    if (!own) return null;
    own.sent = `${this.session}.${++this.count}`;
    own.pending = true;
    const waiting = Array.from(this.columns).filter(([, { pending }]) => pending);
    const columns = waiting.map(([column, { history, sent }]) => [column, { starts: history.now, name: sent }]);
    return { docId: own.docId, columns: Object.fromEntries(columns) };
  }

  /**
   * The column that buttons act on: the active one, else the first that is edited.
   *
   * @param {number} active
   * @returns {number | null} null where none is edited
   */
  target(active) {
    if (this.columns.has(active)) return active;
    return this.columns.size ? Math.min(...this.columns.keys()) : null;
  }
}

/**
 * @param {number[]} a
 * @param {number[]} b
 */
export function same(a, b) {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
