/**
 * From one place of the document to the next: chunks, columns, differences, oversize and marked chunks, and the places
 * behind a figure. Whatever moves, by key, button or request, moves here.
 */

import { nearestChunk, step } from "./core.js";
import * as words from "./words.js";

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").Column} Column */
/** @typedef {{column: number, chunk: number}} Place */
/** @typedef {{start: number, end: number}} Mark a stretch of text that was jumped to */

/**
 * What is needed of the viewer.
 * @typedef {object} Host
 * @property {{view: View, doc: Doc, own: Column}} shown `own` is the active column; throws before anything is shown
 * @property {number} column the active one
 * @property {Place | null} current the chunk that moves start from
 * @property {Place | null} hovered
 * @property {Mark | null} mark
 * @property {number} markKind which kind of findings of the active column is gone through
 * @property {{column: number, chunks: number[]} | null} picked
 * @property {Pick<import("./sight.js").Sight, "reveal" | "firstVisible">} sight
 * @property {Pick<import("./agreement.js").Agreement, "say">} agreement
 * @property {Pick<import("./about.js").About, "follow">} about
 * @property {(text: string) => void} announce say it to all
 * @property {(text: string) => void} speak say it to screen readers
 * @property {() => void} update
 * @property {() => void} light
 * @property {(place: Place) => void} [moved] told of every chunk that is gone to
 */

const NO_CHUNKS = "This column has no chunks.";

/** @param {1 | -1} direction */
const side = (direction) => (direction === 1 ? "after" : "before");

export class Moving {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
  }

  /** Where "next" starts from: what was jumped to, else the current chunk, else the first visible row. */
  #here() {
    const { mark, current, shown, sight } = this.host;
    if (mark) return mark.start;
    if (current) return shown.view.columns[current.column].starts[current.chunk];
    return sight.firstVisible() - 1;
  }

  /** @param {Place} place */
  go(place) {
    const { host } = this;
    if (place.column !== host.column) host.markKind = 0;
    host.column = place.column;
    host.current = place;
    host.mark = null;
    host.hovered = null;
    const { own } = host.shown;
    host.sight.reveal(place.column, own.starts[place.chunk]);
    host.update();
    host.light();
    host.speak(words.spoken(own, place.chunk));
    host.about.follow();
    host.moved?.(place);
  }

  /**
   * Show a stretch of text that is no chunk.
   *
   * @param {number} column
   * @param {number} start
   * @param {number} end
   * @param {string} text what to say about it
   */
  goTo(column, start, end, text) {
    const { host } = this;
    host.column = column;
    host.current = null;
    host.mark = { start, end };
    host.sight.reveal(column, start);
    host.update();
    host.light();
    host.announce(text);
    host.speak(`${text}: ${host.shown.doc.text.slice(start, Math.min(end, start + 120))}`);
  }

  /** @param {1 | -1} direction */
  chunk(direction) {
    const { host } = this;
    const { own } = host.shown;
    if (!own.count) return host.announce(NO_CHUNKS);
    let chunk;
    if (host.current?.column === host.column && !host.mark) chunk = host.current.chunk + direction;
    else chunk = nearestChunk(own, Math.max(0, this.#here() + (direction === 1 && !host.mark ? 1 : 0))) ?? 0;
    if (chunk < 0) return host.announce("This is the first chunk.");
    if (chunk >= own.count) return host.announce("This is the last chunk.");
    return this.go({ column: host.column, chunk });
  }

  /** @param {number} by columns */
  column(by) {
    const { host } = this;
    const { view } = host.shown;
    const column = host.column + by;
    if (column < 0 || column >= view.columns.length) return;
    const chunk = nearestChunk(view.columns[column], Math.max(0, this.#here()));
    if (chunk !== null) this.go({ column, chunk });
    else {
      host.column = column;
      host.current = null;
      host.update();
      host.announce(NO_CHUNKS);
    }
  }

  /** @param {1 | -1} direction */
  difference(direction) {
    const { host } = this;
    const { view, doc } = host.shown;
    const list = view.differences;
    if (!list.length) {
      const alone = view.columns.length < 2;
      return host.announce(alone ? "One column has nothing to differ from." : "All columns cut at the same places.");
    }
    const at = step(list, this.#here(), direction);
    if (at === null) return host.announce(`No difference ${side(direction)} this one.`);
    const who = host.agreement.say(view, doc.text, list[at]);
    const text = `Difference ${words.number(at + 1)} of ${words.number(list.length)}: ${who}`;
    return this.goTo(host.column, list[at], wordEnd(doc.text, list[at]), text);
  }

  /** @param {1 | -1} direction */
  oversize(direction) {
    this.#among(this.host.shown.own.oversize, direction, "oversize chunk", "No chunk of this column is over its size.");
  }

  /** @param {1 | -1} direction */
  picked(direction) {
    const { host } = this;
    if (!host.picked) return;
    if (host.column !== host.picked.column) {
      host.column = host.picked.column;
      host.current = null;
    }
    this.#among(host.picked.chunks, direction, "marked chunk", "");
  }

  /**
   * @param {number[]} chunks of the active column, in order
   * @param {1 | -1} direction
   * @param {string} word
   * @param {string} none
   */
  #among(chunks, direction, word, none) {
    const { host } = this;
    const { own } = host.shown;
    if (!chunks.length) return host.announce(none);
    const near = () => (nearestChunk(own, Math.max(0, this.#here())) ?? 0) - direction;
    const at = step(chunks, host.current?.column === host.column ? host.current.chunk : near(), direction);
    if (at === null) return host.announce(`No ${word} ${side(direction)} this one.`);
    return this.go({ column: host.column, chunk: chunks[at] });
  }

  /** @param {1 | -1} direction */
  mark(direction) {
    const { host } = this;
    const kind = host.shown.own.marks[host.markKind];
    if (!kind?.starts.length) return host.announce("There is nothing to go to.");
    const at = step(kind.starts, this.#here(), direction);
    if (at === null) return host.announce(`None ${side(direction)} this one.`);
    const text = `${kind.title}: ${words.number(at + 1)} of ${words.number(kind.starts.length)}`;
    return this.goTo(host.column, kind.starts[at], kind.ends[at], text);
  }

  /**
   * Go to the next place behind a figure of the audit line, after the last one to the first.
   *
   * @param {number} column
   * @param {number} kind
   */
  follow(column, kind) {
    const { host } = this;
    const same = host.column === column && host.markKind === kind && host.mark;
    host.column = column;
    host.markKind = kind;
    const { starts } = host.shown.own.marks[kind];
    if (!same || step(starts, this.#here(), 1) === null) {
      host.current = null;
      host.mark = { start: -1, end: -1 }; // before all text
    }
    this.mark(1);
  }
}

/**
 * The end of the first word after a place, so that there is something to see.
 *
 * @param {string} text
 * @param {number} position
 */
export function wordEnd(text, position) {
  const word = /^\s*\S{1,24}/.exec(text.slice(position, position + 60));
  return position + (word ? word[0].length : 1);
}
