/**
 * The viewer: one document, cut in up to four ways, side by side. Streamlit calls the default export of this file.
 *
 * The component is mounted twice under one name: once with the document, which travels once, and once with the view,
 * which is small and travels with every change. They may arrive in either order; a view waits for its document.
 */

import { Agreement } from "./agreement.js";
import { Audit } from "./audit.js";
import { aboutChunk, aboutCut, Card } from "./card.js";
import { readDocument, readView, unpack } from "./codec.js";
import { themeOf } from "./colors.js";
import { nearestChunk, step } from "./core.js";
import { Editing } from "./editing.js";
import { Following, keep } from "./following.js";
import { Marks } from "./marks.js";
import { make, Renderer } from "./render.js";
import { readResizing } from "./resizing.js";
import { selected } from "./selection.js";
import { Toolbar } from "./toolbar.js";
import { Tuner } from "./tuner.js";
import * as words from "./words.js";

/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").View} View */

/**
 * What Streamlit hands over.
 * @typedef {object} Mount
 * @property {unknown} data
 * @property {HTMLElement | ShadowRoot} parentElement
 * @property {(name: string, value: unknown) => void} setStateValue
 */

const KEPT = 4; // documents kept, the latest; a view holds on to its own
const HOVER_MS = 250; // until the card opens
const EDGE = 5; // pixels around a chunk's start that count as the cut itself

/** Documents of this browser tab by id, the latest last. @type {Map<string, Doc>} */
const documents = new Map();
/** Viewers that wait for a document. @type {Set<Viewer>} */
const waiting = new Set();

/** @param {Doc} doc */
function arrived(doc) {
  documents.delete(doc.id);
  documents.set(doc.id, doc);
  while (documents.size > KEPT) documents.delete(/** @type {string} */ (documents.keys().next().value));
  for (const viewer of Array.from(waiting)) viewer.retry();
}

class Viewer {
  /** @param {Mount} mount */
  constructor(mount) {
    this.send = mount.setStateValue;
    this.root = make("div", "viewer");
    this.root.dataset.testid = "viewer";
    this.root.dataset.painted = "0";
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", "The document and its chunks");
    this.toolbar = new Toolbar({
      chunk: (direction) => this.moveChunk(direction),
      difference: (direction) => this.moveDifference(direction),
      oversize: (direction) => this.moveOversize(direction),
      mark: (direction) => this.moveMark(direction),
      picked: (direction) => this.movePicked(direction),
      chooseMark: (index) => {
        this.markKind = index;
        this.update();
      },
      unpick: () => {
        this.picked = null;
        this.update();
        this.light();
      },
      refuse: (reason) => this.announce(reason),
    });
    this.audit = new Audit((column, mark) => this.#follow(column, mark));
    this.tuner = new Tuner({
      live: (column) => this.#live(0, column),
      commit: (param, amount) => this.send("threshold", { param, amount, nonce: ++this.commits }),
      go: (start, end, text) => this.#goTo(0, start, end, text),
    });
    this.tuner.element.hidden = true;
    this.scroller = make("div", "scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "group");
    this.scroller.setAttribute(
      "aria-label",
      "Chunks. Up and down: chunk. Left and right: column. D: next difference. O: next oversize. Enter: details.",
    );
    this.message = make("div", "message", "Loading the document …");
    this.message.setAttribute("role", "status");
    this.live = make("div", "visually-hidden");
    this.live.setAttribute("role", "status");
    this.root.append(this.tuner.element, this.audit.element, this.toolbar.element, this.scroller, this.message, this.live);
    this.card = new Card(this.root);
    this.marks = new Marks();
    this.renderer = new Renderer(this.scroller, () => this.lightSoon());
    this.aborter = new AbortController();
    this.agreement = new Agreement();
    this.editing = new Editing(this, this.aborter.signal);
    this.following = new Following({
      shown: () => (this.view && this.doc ? { view: this.view, text: this.doc.text } : null),
      live: (at, column) => {
        const began = performance.now();
        this.#live(at, column);
        this.audit.recount(at, column.count);
        this.#paintedSince(began, "followed");
      },
      back: (at, column) => {
        this.#live(at, column);
        if (this.view) this.audit.update(this.view);
      },
    });
    this.toolbar.element.after(this.editing.element);
    this.#listen();
    this.#place(mount.parentElement);
  }

  /** @type {View | null} */
  view = null;
  /** @type {Doc | null} */
  doc = null;
  /** The view that waits for its document. @type {View | null} */
  next = null;
  /** The chunk that keys move. @type {{column: number, chunk: number} | null} */
  current = null;
  /** The chunk under the pointer. @type {{column: number, chunk: number} | null} */
  hovered = null;
  /** @type {{column: number, chunks: number[], label: string} | null} */
  picked = null;
  /** A place that was jumped to. @type {{start: number, end: number} | null} */
  mark = null;
  markKind = 0;
  column = 0;
  painted = 0;
  followed = 0;
  commits = 0;
  focusNonce = "";
  pickNonce = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;
  lighting = false;

  /** @param {HTMLElement | ShadowRoot} parent */
  #place(parent) {
    parent.append(this.root);
    this.retheme();
  }

  /** Light or dark, by the background that Streamlit's theme gives. */
  retheme() {
    const theme = themeOf(this.root);
    if (theme) this.root.dataset.theme = theme;
    this.tuner.retheme();
  }

  destroy() {
    waiting.delete(this);
    this.aborter.abort();
    clearTimeout(this.timer);
    this.card.hide();
    this.marks.clear();
    this.tuner.destroy();
    this.following.destroy();
    this.renderer.destroy();
    this.root.remove();
  }

  /** @param {View} view */
  receive(view) {
    if (view.stamp === this.view?.stamp && !this.next) return;
    this.next = view;
    this.retry();
  }

  /** Show the view that waits, if its document is here. */
  retry() {
    const view = this.next;
    if (!view) return;
    const doc = this.doc?.id === view.docId ? this.doc : documents.get(view.docId);
    if (!doc) {
      waiting.add(this);
      return;
    }
    waiting.delete(this);
    this.next = null;
    this.show(doc, view);
  }

  /** @param {string} text */
  fail(text) {
    this.message.hidden = false;
    this.message.textContent = text;
    this.message.classList.add("error");
  }

  /**
   * @param {Doc} doc
   * @param {View} arrived
   */
  show(doc, arrived) {
    const view = this.editing.receive(doc, arrived);
    const began = performance.now();
    const stay = this.doc?.id === doc.id && this.current ? this.#startOf(this.current) : null;
    this.doc = doc;
    this.view = view;
    this.message.hidden = true;
    this.scroller.style.setProperty("--height", `${view.height}px`);
    this.column = Math.min(this.column, view.columns.length - 1);
    this.mark = null;
    this.hovered = null;
    this.card.hide();
    // The chunk that was current is another one now, or gone: the one at the same place takes over.
    const chunk = stay === null ? null : nearestChunk(view.columns[this.column], stay);
    this.current = chunk === null ? null : { column: this.column, chunk };
    this.markKind = Math.min(this.markKind, Math.max(0, view.columns[this.column].marks.length - 1));
    this.audit.update(view);
    this.renderer.show(doc, view);
    this.tuner.show(doc, view.turns, view.columns[0]);
    this.#pick(view);
    this.update();
    this.#focus(view);
    this.#paintedSince(began, "painted");
    this.following.receive(view);
  }

  /**
   * After the frame is painted, say so and how long it took: what a test or a benchmark waits for.
   *
   * @param {number} began
   * @param {"painted" | "followed"} what
   */
  #paintedSince(began, what) {
    const script = performance.now() - began;
    requestAnimationFrame(() =>
      afterPaint(() => {
        this.root.dataset.repaintMs = (performance.now() - began).toFixed(1);
        this.root.dataset.scriptMs = script.toFixed(1);
        this[what] += 1;
        this.root.dataset[what] = String(this[what]);
      }),
    );
  }

  /**
   * A column was cut again, at another threshold or size.
   *
   * @param {number} at
   * @param {import("./codec.js").Column} column
   */
  #live(at, column) {
    if (!this.view) return;
    // What was said of the old chunks is not true of the new ones.
    this.card.hide();
    this.hovered = null;
    this.picked = null;
    if (this.current?.column === at) this.current = null;
    this.view = this.renderer.recut(at, column);
    this.update();
  }

  /** @param {View} view */
  #pick(view) {
    const asked = view.highlight;
    if (!asked) {
      this.picked = null;
      this.pickNonce = "";
      return;
    }
    if (asked.nonce === this.pickNonce && !this.picked) return; // closed by hand; stays so until something else is asked
    const chunks = view.columns[asked.column] ? asked.chunks.filter((i) => i < view.columns[asked.column].count) : [];
    this.picked = chunks.length ? { column: asked.column, chunks, label: asked.label } : null;
    if (asked.nonce !== this.pickNonce && this.picked) this.#reveal(asked.column, this.#startOf({ column: asked.column, chunk: chunks[0] }));
    this.pickNonce = asked.nonce;
  }

  /** @param {View} view */
  #focus(view) {
    const asked = view.focus;
    if (!asked || asked.nonce === this.focusNonce || !view.columns[asked.column]) return;
    this.focusNonce = asked.nonce;
    if (asked.chunk !== null && asked.chunk < view.columns[asked.column].count) {
      this.go({ column: asked.column, chunk: asked.chunk });
    } else if (asked.chunk === null && asked.start === asked.end) {
      // A place without text in it: nothing to mark, and nothing to say.
      this.current = null;
      this.live.textContent = "";
      this.#reveal(asked.column, asked.start);
      this.update();
      this.light();
    } else if (asked.chunk === null) {
      this.#goTo(asked.column, asked.start, asked.end, "Found");
    }
  }

  get #shown() {
    if (!this.view || !this.doc) throw new Error("The viewer shows nothing yet.");
    return { view: this.view, doc: this.doc, own: this.view.columns[this.column] };
  }

  /** @param {{column: number, chunk: number}} place */
  #startOf(place) {
    return this.view ? this.view.columns[place.column].starts[place.chunk] : 0;
  }

  /**
   * @param {number} column
   * @param {number} position
   */
  #reveal(column, position) {
    this.renderer.reveal(column, position);
  }

  /** Bring toolbar and column heads up to date. */
  update() {
    if (!this.view) return;
    this.toolbar.update(
      this.view,
      this.column,
      this.markKind,
      this.picked && { label: this.picked.label, count: this.picked.chunks.length },
    );
    this.editing.update();
    const { own } = this.#shown;
    this.toolbar.say(this.current ? words.name(own, this.current.chunk) : "");
    this.renderer.tracks.forEach((track, at) => track.element.classList.toggle("active", at === this.column));
  }

  /** @param {string} text */
  announce(text) {
    this.live.textContent = text;
    this.toolbar.say(text.length > 60 ? `${text.slice(0, 59)}…` : text);
  }

  // --- moving -------------------------------------------------------------------------------------------------------

  /** Where "next" starts from: the current chunk, else what was jumped to, else the first visible row. */
  #here() {
    if (this.mark) return this.mark.start;
    if (this.current) return this.#startOf(this.current);
    return this.renderer.firstVisible() - 1;
  }

  /** @param {{column: number, chunk: number}} place */
  go(place) {
    if (place.column !== this.column) this.markKind = 0;
    this.column = place.column;
    this.current = place;
    this.mark = null;
    this.hovered = null;
    const { own, doc } = this.#shown;
    this.#reveal(place.column, this.#startOf(place));
    this.update();
    this.light();
    this.live.textContent = words.spoken(own, place.chunk);
    if (this.card.open && this.card.pinned) this.card.show(aboutChunk(doc, own, place.chunk), this.#cardSpot(), true);
    else this.card.hide();
  }

  /** @param {1 | -1} direction */
  moveChunk(direction) {
    const { own } = this.#shown;
    if (!own.count) return this.announce("This column has no chunks.");
    let chunk;
    if (this.current?.column === this.column && !this.mark) chunk = this.current.chunk + direction;
    else chunk = nearestChunk(own, Math.max(0, this.#here() + (direction === 1 && !this.mark ? 1 : 0))) ?? 0;
    if (chunk < 0 || chunk >= own.count) return this.announce(chunk < 0 ? "This is the first chunk." : "This is the last chunk.");
    return this.go({ column: this.column, chunk });
  }

  /** @param {number} by columns */
  moveColumn(by) {
    const { view } = this.#shown;
    const column = this.column + by;
    if (column < 0 || column >= view.columns.length) return;
    const chunk = nearestChunk(view.columns[column], Math.max(0, this.#here()));
    if (chunk !== null) this.go({ column, chunk });
    else {
      this.column = column;
      this.current = null;
      this.update();
      this.announce("This column has no chunks.");
    }
  }

  /** @param {1 | -1} direction */
  moveDifference(direction) {
    const { view, doc } = this.#shown;
    const list = view.differences;
    if (!list.length) {
      return this.announce(view.columns.length < 2 ? "One column has nothing to differ from." : "All columns cut at the same places.");
    }
    const at = step(list, this.#here(), direction);
    if (at === null) return this.announce(direction === 1 ? "No difference after this one." : "No difference before this one.");
    // The first word after the place, so that there is something to see.
    const word = /^\s*\S{1,24}/.exec(doc.text.slice(list[at], list[at] + 60));
    const end = list[at] + (word ? word[0].length : 1);
    const who = this.agreement.say(view, doc.text, list[at]);
    return this.#goTo(this.column, list[at], end, `Difference ${words.number(at + 1)} of ${words.number(list.length)}: ${who}`);
  }

  /** @param {1 | -1} direction */
  moveOversize(direction) {
    const { own } = this.#shown;
    this.#moveAmong(own.oversize, direction, "oversize chunk", "No chunk of this column is over its size.");
  }

  /** @param {1 | -1} direction */
  movePicked(direction) {
    if (!this.picked) return;
    if (this.column !== this.picked.column) {
      this.column = this.picked.column;
      this.current = null;
    }
    this.#moveAmong(this.picked.chunks, direction, "marked chunk", "");
  }

  /**
   * @param {number[]} chunks in order
   * @param {1 | -1} direction
   * @param {string} word
   * @param {string} none
   */
  #moveAmong(chunks, direction, word, none) {
    const { own } = this.#shown;
    if (!chunks.length) return this.announce(none);
    const from = this.current?.column === this.column ? this.current.chunk : (nearestChunk(own, Math.max(0, this.#here())) ?? 0) - direction;
    const at = step(chunks, from, direction);
    if (at === null) return this.announce(direction === 1 ? `No ${word} after this one.` : `No ${word} before this one.`);
    return this.go({ column: this.column, chunk: chunks[at] });
  }

  /**
   * Go to the next place behind a figure of the audit line, after the last one to the first.
   * @param {number} column
   * @param {number} kind
   */
  #follow(column, kind) {
    const same = this.column === column && this.markKind === kind && this.mark;
    this.column = column;
    this.markKind = kind;
    const marks = this.#shown.own.marks[kind];
    const after = same && step(marks.starts, this.#here(), 1) !== null;
    if (!after) {
      this.current = null;
      this.mark = { start: -1, end: -1 };
    }
    this.moveMark(1);
  }

  /** @param {1 | -1} direction */
  moveMark(direction) {
    const { own } = this.#shown;
    const kind = own.marks[this.markKind];
    if (!kind?.starts.length) return this.announce("There is nothing to go to.");
    const at = step(kind.starts, this.#here(), direction);
    if (at === null) return this.announce(direction === 1 ? "None after this one." : "None before this one.");
    const text = `${kind.title}: ${words.number(at + 1)} of ${words.number(kind.starts.length)}`;
    return this.#goTo(this.column, kind.starts[at], kind.ends[at], text);
  }

  /**
   * Show a stretch of text that is no chunk.
   *
   * @param {number} column
   * @param {number} start
   * @param {number} end
   * @param {string} text what to say about it
   */
  #goTo(column, start, end, text) {
    this.column = column;
    this.current = null;
    this.mark = { start, end };
    this.#reveal(column, start);
    this.update();
    this.light();
    this.announce(text);
    const { doc } = this.#shown;
    this.live.textContent = `${text}: ${doc.text.slice(start, Math.min(end, start + 120))}`;
  }

  // --- lighting up --------------------------------------------------------------------------------------------------

  /** Light up again what is lit up, after the page has changed under it; once per frame. */
  lightSoon() {
    if (this.lighting) return;
    this.lighting = true;
    requestAnimationFrame(() => {
      this.lighting = false;
      this.light();
      if (this.view && this.doc) this.agreement.mark(this.view, this.doc.text, this.renderer);
    });
  }

  light() {
    const { view, renderer } = this;
    if (!view) return;
    const everywhere = (/** @type {number} */ start, /** @type {number} */ end) =>
      view.columns.flatMap((_, at) => renderer.ranges(at, start, end));
    this.editing.light();
    const place = this.hovered ?? this.current;
    const own = place && view.columns[place.column];
    this.marks.set("lit", place && own ? everywhere(own.starts[place.chunk], own.ends[place.chunk]) : []);
    this.marks.set("mark", this.mark ? everywhere(this.mark.start, this.mark.end) : []);
    const { picked } = this;
    const column = picked && view.columns[picked.column];
    this.marks.set(
      "picked",
      picked && column
        ? picked.chunks.flatMap((i) => renderer.ranges(picked.column, column.starts[i], column.ends[i]))
        : [],
    );
  }

  // --- pointer and keys ---------------------------------------------------------------------------------------------

  #listen() {
    const { signal } = this.aborter;
    const on = (/** @type {EventTarget} */ target, /** @type {string} */ type, /** @type {(e: any) => void} */ act) =>
      target.addEventListener(type, act, { signal, passive: type !== "keydown" });
    on(this.scroller, "pointermove", (event) => this.#hover(event));
    on(this.scroller, "pointerleave", () => this.#unhover());
    on(this.scroller, "scroll", () => {
      this.#unhover();
      this.tuner.follow(this.renderer.firstVisible());
      this.audit.element.scrollLeft = this.scroller.scrollLeft;
    });
    // The other way round: the focus may go to a figure that is out of sight.
    on(this.audit.element, "scroll", () => {
      this.scroller.scrollLeft = this.audit.element.scrollLeft;
    });
    on(this.scroller, "click", (event) => this.#click(event));
    on(this.scroller, "keydown", (event) => this.#key(event));
    on(this.toolbar.element, "keydown", (event) => {
      if (event.key === "Escape") this.#escape(event);
    });
    on(this.tuner.element, "keydown", (event) => {
      if (event.key === "Escape") this.#escape(event);
    });
    on(this.card.element, "keydown", (event) => {
      if (event.key === "Escape") this.#escape(event);
    });
    // Wherever the pointer was let go: a selection may end outside. After the browser has settled what is selected.
    on(document, "pointerup", () => setTimeout(() => this.#pickText(), 0));
    on(document, "keyup", (event) => event.key === "Shift" && this.#pickText());
    on(globalThis, "beforeprint", () => this.renderer.paintAll());
    on(document, "pointerdown", (event) => {
      if (this.card.pinned && !event.composedPath().includes(this.root)) this.card.hide();
    });
  }

  /** @param {PointerEvent} event */
  #hover(event) {
    if (event.pointerType === "touch" || !this.view) return;
    const found = this.renderer.locate(event.target);
    if (!found?.piece) return this.#unhover();
    const chunk = lastOf(found.piece);
    const cut = this.#atCut(found.piece, event);
    const same = this.hovered?.column === found.column && this.hovered.chunk === chunk;
    if (!same) {
      this.hovered = { column: found.column, chunk };
      this.light();
      this.tuner.point(this.#startOf(this.hovered));
    }
    if (this.card.pinned) return undefined;
    const spot = { x: event.clientX, y: event.clientY };
    const what = `${found.column} ${found.piece.dataset.chunk} ${cut}`;
    if (this.card.open && what === this.about) return undefined;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        if (!this.hovered || this.card.pinned) return;
        this.about = what;
        this.card.show(this.#content(found.column, found.piece, cut), spot, false);
      },
      this.card.open ? 60 : HOVER_MS,
    );
    return undefined;
  }

  /** What the open card is about. */
  about = "";

  #unhover() {
    clearTimeout(this.timer);
    if (!this.card.pinned) this.card.hide();
    if (this.hovered) {
      this.hovered = null;
      this.light();
      this.tuner.point(null);
    }
  }

  /**
   * Whether the pointer is on the ink bar at a chunk's start.
   * @param {HTMLElement} piece
   * @param {PointerEvent} event
   */
  #atCut(piece, event) {
    if (!piece.classList.contains("opens")) return false;
    const [rect] = piece.getClientRects();
    if (!rect || event.clientY < rect.top || event.clientY > rect.bottom) return false;
    const edge = getComputedStyle(piece).direction === "rtl" ? rect.right : rect.left;
    return Math.abs(event.clientX - edge) <= EDGE;
  }

  /**
   * @param {number} column
   * @param {HTMLElement | null} piece
   * @param {boolean} cut
   */
  #content(column, piece, cut) {
    const { view, doc } = this.#shown;
    const own = view.columns[column];
    if (!piece) return [];
    const ids = (piece.dataset.chunk ?? "").split(" ").map(Number);
    const chunk = ids[ids.length - 1];
    const about = cut ? aboutCut(own, chunk) : aboutChunk(doc, own, chunk, { first: ids[0], last: chunk });
    return [...about, ...this.agreement.about(view, doc.text, column, chunk)];
  }

  /** @param {MouseEvent} event */
  #click(event) {
    if (!this.view) return;
    const found = this.renderer.locate(event.target);
    if (!found) return;
    // Someone who has just selected text wants to copy it.
    if (selected(this.renderer)) return;
    if (!found.piece) {
      this.column = found.column;
      this.update();
      return;
    }
    const place = { column: found.column, chunk: lastOf(found.piece) };
    this.editing.point(found.column, event);
    this.column = place.column;
    this.current = place;
    this.mark = null;
    this.markKind = Math.min(this.markKind, Math.max(0, this.#shown.own.marks.length - 1));
    this.update();
    this.light();
    this.live.textContent = words.spoken(this.#shown.own, place.chunk);
    this.card.show(this.#content(found.column, found.piece, false), { x: event.clientX, y: event.clientY }, true);
    this.send("selected", place);
  }

  /** Tell which text was selected, where the page asks for it and it is another one than before. */
  #pickText() {
    if (!this.view?.picking || !this.doc || this.aborter.signal.aborted) return;
    const found = selected(this.renderer);
    if (!found) return;
    if (found.column === null) {
      this.announce("Select inside one column.");
      return;
    }
    const { start, end } = found;
    const what = `${this.doc.id} ${start} ${end}`;
    if (what === this.pickedText) return;
    this.pickedText = what;
    this.announce(`${words.number(end - start)} characters are selected.`);
    this.send("picked", { docId: this.doc.id, start, end });
  }

  /** What was told of last. */
  pickedText = "";

  /** Where the card goes when no pointer says so: beside the current chunk's first character. */
  #cardSpot() {
    const box = this.scroller.getBoundingClientRect();
    if (!this.current) return { x: box.left + 40, y: box.top + 80 };
    const start = this.#startOf(this.current);
    const [range] = this.renderer.ranges(this.current.column, start, start + 1);
    const rect = range?.getBoundingClientRect();
    return rect ? { x: rect.left, y: rect.bottom } : { x: box.left + 40, y: box.top + 80 };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.view || !this.doc) return undefined; // nothing to move in yet
    if (this.view && this.editing.key(event)) return undefined;
    if (!this.view || event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowDown: () => this.moveChunk(1),
      ArrowUp: () => this.moveChunk(-1),
      n: () => this.moveChunk(1),
      p: () => this.moveChunk(-1),
      ArrowRight: () => this.moveColumn(1),
      ArrowLeft: () => this.moveColumn(-1),
      d: () => this.moveDifference(1),
      D: () => this.moveDifference(-1),
      o: () => this.moveOversize(1),
      O: () => this.moveOversize(-1),
      m: () => this.moveMark(1),
      M: () => this.moveMark(-1),
      Enter: () => this.#pin(),
    };
    if (event.key === "Escape") return this.#escape(event);
    const move = moves[event.key];
    // Keys that mean nothing here still belong to the page, so that its own shortcuts work.
    if (!move) return undefined;
    event.preventDefault();
    event.stopPropagation();
    move();
    return undefined;
  }

  #pin() {
    const { doc, own } = this.#shown;
    if (this.card.open && this.card.pinned) return this.card.hide();
    if (!this.current) this.moveChunk(1);
    if (!this.current) return undefined;
    this.card.show(aboutChunk(doc, own, this.current.chunk), this.#cardSpot(), true);
    this.send("selected", this.current);
    return undefined;
  }

  /** @param {KeyboardEvent} event */
  #escape(event) {
    if (!this.card.open && !this.mark && !this.current) return;
    event.stopPropagation();
    if (this.card.open) this.card.hide();
    else {
      this.mark = null;
      this.current = null;
      this.update();
      this.light();
    }
  }
}

/**
 * Called in a frame's callback: do something once that frame is painted. A timer would come later, behind other frames.
 * @param {() => void} act
 */
function afterPaint(act) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    act();
  };
  port2.postMessage(null);
}

/**
 * The last chunk that a piece belongs to: the one that started last.
 * @param {HTMLElement} piece
 */
function lastOf(piece) {
  return Number((piece.dataset.chunk ?? "").split(" ").pop());
}

/** One viewer per place in the page: Streamlit calls again for every change, without cleaning up in between. */
/** @type {WeakMap<object, Viewer>} */
const viewers = new WeakMap();

/** @param {Mount} mount */
export default function show(mount) {
  const place = mount.parentElement;
  const bytes = mount.data instanceof ArrayBuffer ? new Uint8Array(mount.data) : mount.data;
  if (!(bytes instanceof Uint8Array)) return undefined;
  const blob = unpack(bytes);
  if (blob.header.kind === "document") {
    if (!documents.has(blob.header.docId)) arrived(readDocument(blob));
    return undefined;
  }
  if (blob.header.kind === "resizing") {
    keep(blob.header.key, () => readResizing(blob));
    return undefined;
  }
  const viewer = viewers.get(place) ?? new Viewer(mount);
  viewers.set(place, viewer);
  viewer.send = mount.setStateValue;
  viewer.retheme();
  try {
    viewer.receive(readView(blob));
  } catch (error) {
    viewer.fail(error instanceof Error ? error.message : String(error));
    throw error;
  }
  return () => {
    viewer.destroy();
    viewers.delete(place);
  };
}
