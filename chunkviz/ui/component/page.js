/**
 * A page of a PDF as it is printed, with the area of each chunk in the colour that it has in the columns. Streamlit calls
 * the default export. Like the viewer it is mounted twice: once with the picture, which travels once, and once with what
 * lies on it.
 */

import { unpack } from "./codec.js";
import { chunkColors, themeOf } from "./colors.js";
import { areas } from "./areas.js";
import { make } from "./make.js";
import { Resting } from "./resting.js";

/**
 * @typedef {object} Mount
 * @property {unknown} data
 * @property {HTMLElement | ShadowRoot} parentElement
 * @property {(name: string, value: unknown) => void} setStateValue
 */

const SVG = "http://www.w3.org/2000/svg";
const KEPT = 6; // pictures kept, the latest
const REST_MS = 300; // longer than a held key takes between two chunks, and between its first and its second

/** Addresses of pictures by id, the latest last. @type {Map<string, string>} */
const pictures = new Map();
/** Sheets that wait for a picture. @type {Set<Sheet>} */
const waiting = new Set();

/**
 * @param {string} id
 * @param {Uint8Array} png
 */
function arrived(id, png) {
  if (pictures.has(id)) return;
  pictures.set(id, URL.createObjectURL(new Blob([/** @type {BlobPart} */ (png)], { type: "image/png" })));
  while (pictures.size > KEPT) {
    const [oldest, address] = /** @type {[string, string]} */ (pictures.entries().next().value);
    URL.revokeObjectURL(address);
    pictures.delete(oldest);
  }
  for (const sheet of Array.from(waiting)) sheet.picture();
}

/** @param {string} name */
const element = (name) => document.createElementNS(SVG, name);

class Sheet {
  /** @param {Mount} mount */
  constructor(mount) {
    this.send = mount.setStateValue;
    this.root = make("div", "viewer page");
    this.root.dataset.testid = "pdf-page";
    this.image = make("img");
    this.image.alt = "";
    this.svg = /** @type {SVGSVGElement} */ (element("svg"));
    this.svg.setAttribute("role", "group");
    const sheet = make("div", "page-sheet");
    sheet.append(this.image, this.svg);
    this.words = make("p", "page-words");
    this.root.append(sheet, this.words);
    this.svg.addEventListener("click", (event) => this.#choose(event.target));
    this.svg.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.#choose(event.target);
      }
    });
    this.aborter = new AbortController();
    this.resting = new Resting(REST_MS, (place) => this.send("moved", { ...place, nonce: this.#nonce() }));
    document.addEventListener("chunkviz:moved", (event) => this.#follow(/** @type {any} */ (event).detail), {
      signal: this.aborter.signal,
    });
    mount.parentElement.append(this.root);
  }

  wanted = "";
  column = 0;
  /** The chunk that is outlined. @type {number | null} */
  chunk = null;
  choices = 0;

  #nonce() {
    return `${Date.now()}.${++this.choices}`;
  }

  /**
   * Keys or buttons went to a chunk in the columns: outline it at once where it is on this page, and have its page
   * turned up when they have come to rest.
   *
   * @param {{column: number, chunk: number}} place
   */
  #follow(place) {
    if (place.column === this.column) {
      if (place.chunk === this.chunk) return; // the columns have followed a click on this page
      this.#outline(place.chunk);
    }
    this.resting.change(place);
  }

  /** @param {number | null} chunk */
  #outline(chunk) {
    this.chunk = chunk;
    for (const area of this.svg.querySelectorAll(".area")) {
      area.classList.toggle("current", /** @type {SVGElement} */ (area).dataset.chunk === String(chunk));
    }
  }

  /** Show the picture that is wanted, if it is here. */
  picture() {
    const address = pictures.get(this.wanted);
    if (!address) {
      this.image.removeAttribute("src");
      waiting.add(this);
      return;
    }
    waiting.delete(this);
    if (this.image.src !== address) this.image.src = address;
  }

  /** @param {EventTarget | null} target */
  #choose(target) {
    const area = target instanceof Element ? target.closest("[data-chunk]") : null;
    if (!(area instanceof SVGElement)) return;
    const chunk = Number(area.dataset.chunk);
    this.resting.drop();
    this.#outline(chunk);
    this.send("chosen", { column: this.column, chunk, nonce: this.#nonce() });
  }

  /** @param {import("./codec.js").Blob} blob */
  show({ header, arrays }) {
    const { image, column, chunk, width, height, page, title, label } = header;
    const list = (/** @type {string} */ name) => /** @type {any} */ (arrays.get(name));
    const spans = { starts: list("start"), ends: list("end") };
    const theme = themeOf(this.root);
    if (theme) this.root.dataset.theme = theme;
    this.wanted = image;
    this.column = column;
    this.picture();
    this.root.dataset.page = String(page);
    this.image.style.aspectRatio = `${width} / ${height}`;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("aria-label", label);
    const colors = chunkColors(spans.starts, spans.ends);
    const found = areas(spans, { starts: list("word.start"), ends: list("word.end"), boxes: list("box") });
    this.svg.replaceChildren(
      ...Array.from(found, ([index, rects]) => {
        const name = `Chunk ${(index + 1).toLocaleString("en")} of ${spans.starts.length.toLocaleString("en")}, ${title}`;
        const group = element("g");
        group.setAttribute("class", `area c${colors[index]}`);
        group.dataset.chunk = String(index);
        group.setAttribute("tabindex", "0");
        group.setAttribute("role", "button");
        group.setAttribute("aria-label", name);
        const tip = element("title");
        tip.textContent = name;
        group.append(tip, ...rects.map(rectangle));
        return group;
      }),
    );
    this.#outline(chunk);
    this.words.textContent = label;
  }

  destroy() {
    this.aborter.abort();
    this.resting.drop();
    waiting.delete(this);
    this.root.remove();
  }
}

/** @param {import("./areas.js").Rect} rect */
function rectangle({ x0, y0, x1, y1 }) {
  const found = element("rect");
  const place = { x: x0 - 1, y: y0, width: x1 - x0 + 2, height: y1 - y0, rx: 1.5 };
  for (const [name, value] of Object.entries(place)) found.setAttribute(name, value.toFixed(2));
  return found;
}

/** One sheet per place in the page: Streamlit calls again for every change. @type {WeakMap<object, Sheet>} */
const sheets = new WeakMap();

/** @param {Mount} mount */
export default function show(mount) {
  const bytes = mount.data instanceof ArrayBuffer ? new Uint8Array(mount.data) : mount.data;
  if (!(bytes instanceof Uint8Array)) return undefined;
  const blob = unpack(bytes);
  if (blob.header.kind === "picture") {
    arrived(blob.header.image, /** @type {Uint8Array} */ (blob.arrays.get("png")));
    return undefined;
  }
  const place = mount.parentElement;
  const sheet = sheets.get(place) ?? new Sheet(mount);
  sheets.set(place, sheet);
  sheet.send = mount.setStateValue;
  sheet.show(blob);
  return () => {
    sheet.destroy();
    sheets.delete(place);
  };
}
