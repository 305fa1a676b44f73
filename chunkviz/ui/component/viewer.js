/**
 * The viewer: one document, cut in up to four ways, side by side. Streamlit calls the default export of this file.
 *
 * The component is mounted twice under one name: once with the document, which travels once, and once with the view,
 * which is small and travels with every change. They may arrive in either order; a view waits for its document.
 *
 * This file puts the parts together, and shows what arrives. What a reader does is in moving.js, pointing.js, keys.js,
 * editing.js and tuner.js; how the text gets into the page is in render.js.
 */

import { About } from "./about.js";
import { Agreement } from "./agreement.js";
import { Asked } from "./asked.js";
import { Audit } from "./audit.js";
import { Card } from "./card.js";
import { readDocument, readView, unpack } from "./codec.js";
import { themeOf } from "./colors.js";
import { nearestChunk } from "./core.js";
import { Documents } from "./documents.js";
import { Editing } from "./editing.js";
import { Following, keep } from "./following.js";
import { KEYS_IN_WORDS, listenToKeys } from "./keys.js";
import { Lighting } from "./lighting.js";
import { make } from "./make.js";
import { Marks } from "./marks.js";
import { Moving } from "./moving.js";
import { Painted } from "./painted.js";
import { Pointing } from "./pointing.js";
import { Renderer } from "./render.js";
import { readResizing } from "./resizing.js";
import { Sight } from "./sight.js";
import { Toolbar } from "./toolbar.js";
import { Tuner } from "./tuner.js";
import * as words from "./words.js";

/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Column} Column */
/** @typedef {import("./moving.js").Place} Place */

/**
 * What Streamlit hands over.
 * @typedef {object} Mount
 * @property {unknown} data
 * @property {HTMLElement | ShadowRoot} parentElement
 * @property {(name: string, value: unknown) => void} setStateValue
 */

/** Those of this browser tab. */
const documents = new Documents();

class Viewer {
  /** @param {Mount} mount */
  constructor(mount) {
    this.send = mount.setStateValue;
    this.aborter = new AbortController();
    const { signal } = this.aborter;
    this.root = make("div", "viewer");
    this.root.dataset.testid = "viewer";
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", "The document and its chunks");
    this.painted = new Painted(this.root);
    this.scroller = make("div", "scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "group");
    this.scroller.setAttribute("aria-label", KEYS_IN_WORDS);
    this.message = make("div", "message", "Loading the document …");
    this.message.setAttribute("role", "status");
    this.spoken = make("div", "visually-hidden");
    this.spoken.setAttribute("role", "status");
    this.moving = new Moving(this);
    this.asked = new Asked(this);
    this.about = new About(this);
    this.lighting = new Lighting(this);
    this.agreement = new Agreement();
    this.marks = new Marks();
    this.toolbar = this.#makeToolbar();
    this.audit = new Audit((column, mark) => this.moving.follow(column, mark));
    this.tuner = this.#makeTuner();
    this.renderer = new Renderer(this.scroller, () => this.lighting.soon());
    this.sight = new Sight(this.renderer);
    this.editing = new Editing(this, signal);
    this.following = this.#makeFollowing();
    this.root.append(
      this.tuner.element,
      this.audit.element,
      this.toolbar.element,
      this.editing.element,
      this.scroller,
      this.message,
      this.spoken,
    );
    this.card = new Card(this.root);
    this.pointing = new Pointing(this, signal);
    listenToKeys(this, signal);
    this.#listenToScrolling(signal);
    mount.parentElement.append(this.root);
    this.retheme();
  }

  /** @type {View | null} */
  view = null;
  /** @type {Doc | null} */
  doc = null;
  /** The view that waits for its document. @type {View | null} */
  next = null;
  /** The chunk that keys move. @type {Place | null} */
  current = null;
  /** The chunk under the pointer. @type {Place | null} */
  hovered = null;
  /** @type {{column: number, chunks: number[], label: string} | null} */
  picked = null;
  /** A place that was jumped to. @type {import("./moving.js").Mark | null} */
  mark = null;
  markKind = 0;
  column = 0;

  #makeToolbar() {
    return new Toolbar({
      chunk: (direction) => this.moving.chunk(direction),
      difference: (direction) => this.moving.difference(direction),
      oversize: (direction) => this.moving.oversize(direction),
      mark: (direction) => this.moving.mark(direction),
      picked: (direction) => this.moving.picked(direction),
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
  }

  #makeTuner() {
    let commits = 0;
    const tuner = new Tuner({
      live: (column) => this.#live(0, column),
      commit: (param, amount) => this.send("threshold", { param, amount, nonce: ++commits }),
      go: (start, end, text) => this.moving.goTo(0, start, end, text),
    });
    tuner.element.hidden = true;
    return tuner;
  }

  #makeFollowing() {
    return new Following({
      shown: () => (this.view && this.doc ? { view: this.view, text: this.doc.text } : null),
      live: (at, column) => {
        const began = performance.now();
        this.#live(at, column);
        this.audit.recount(at, column.count);
        this.painted.since(began, "followed");
      },
      back: (at, column) => {
        this.#live(at, column);
        if (this.view) this.audit.update(this.view);
      },
    });
  }

  /** @param {AbortSignal} signal */
  #listenToScrolling(signal) {
    const options = { signal, passive: true };
    const columns = this.scroller;
    const figures = this.audit.element;
    const scrolled = () => {
      this.pointing.leave();
      this.tuner.follow(this.sight.firstVisible());
      figures.scrollLeft = columns.scrollLeft;
    };
    columns.addEventListener("scroll", scrolled, options);
    // The other way round: the focus may go to a figure that is out of sight.
    figures.addEventListener("scroll", () => (columns.scrollLeft = figures.scrollLeft), options);
    globalThis.addEventListener("beforeprint", () => this.renderer.paintAll(), options);
  }

  /** Light or dark, by the background that Streamlit's theme gives. */
  retheme() {
    const theme = themeOf(this.root);
    if (theme) this.root.dataset.theme = theme;
    this.tuner.retheme();
  }

  destroy() {
    documents.leave(this);
    this.aborter.abort();
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
      documents.wait(this);
      return;
    }
    documents.leave(this);
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
    const { current } = this;
    const kept = this.doc?.id === doc.id && current && this.view?.columns[current.column];
    const stay = kept ? kept.starts[current.chunk] : null;
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
    this.asked.pick(view);
    this.update();
    this.asked.focus(view);
    this.painted.since(began, "painted");
    this.following.receive(view);
  }

  /**
   * A column was cut again, at another threshold or size.
   *
   * @param {number} at
   * @param {Column} column
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

  /** What is shown, and `own`, the column that is active. */
  get shown() {
    if (!this.view || !this.doc) throw new Error("The viewer shows nothing yet.");
    return { view: this.view, doc: this.doc, own: this.view.columns[this.column] };
  }

  /** Bring toolbar and column heads up to date. */
  update() {
    if (!this.view) return;
    const picked = this.picked && { label: this.picked.label, count: this.picked.chunks.length };
    this.toolbar.update(this.view, this.column, this.markKind, picked);
    this.editing.update();
    const { current } = this;
    this.toolbar.say(current ? words.name(this.view.columns[current.column], current.chunk) : "");
    this.renderer.tracks.forEach((track, at) => track.element.classList.toggle("active", at === this.column));
  }

  light() {
    this.lighting.now();
  }

  /**
   * Say it to all.
   * @param {string} text
   */
  announce(text) {
    this.speak(text);
    this.toolbar.say(text.length > 60 ? `${text.slice(0, 59)}…` : text);
  }

  /**
   * Tell what else shows this document in the page (page.js) which chunk was gone to; nothing goes to the server.
   * @param {Place} place
   */
  moved(place) {
    this.root.dispatchEvent(new CustomEvent("chunkviz:moved", { detail: place, bubbles: true, composed: true }));
  }

  /**
   * Say it to screen readers.
   * @param {string} text
   */
  speak(text) {
    this.spoken.textContent = text;
  }
}

/** One per place in the page: Streamlit calls again for every change. @type {WeakMap<object, Viewer>} */
const viewers = new WeakMap();

/** @param {Mount} mount */
export default function show(mount) {
  const place = mount.parentElement;
  const bytes = mount.data instanceof ArrayBuffer ? new Uint8Array(mount.data) : mount.data;
  if (!(bytes instanceof Uint8Array)) return undefined;
  const blob = unpack(bytes);
  if (blob.header.kind === "document") {
    if (!documents.has(blob.header.docId)) documents.add(readDocument(blob));
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
