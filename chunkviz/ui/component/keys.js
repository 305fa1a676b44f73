/** The keys of the viewer: they move, open the card and close it. Editing has keys of its own, which come first. */

/** @typedef {import("./codec.js").View} View */
/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./moving.js").Moving} Moving */
/** @typedef {import("./moving.js").Place} Place */

/**
 * What is needed of the viewer.
 * @typedef {object} Host
 * @property {View | null} view
 * @property {Doc | null} doc
 * @property {Place | null} current
 * @property {{start: number, end: number} | null} mark
 * @property {HTMLElement} scroller
 * @property {{element: HTMLElement}} toolbar
 * @property {{element: HTMLElement}} tuner
 * @property {import("./card.js").Card} card
 * @property {Pick<import("./about.js").About, "pin">} about
 * @property {Pick<import("./editing.js").Editing, "key">} editing
 * @property {Moving} moving
 * @property {(name: string, value: unknown) => void} send
 * @property {() => void} update
 * @property {() => void} light
 */

/** What a screen reader says of the columns. */
export const KEYS_IN_WORDS =
  "Chunks. Up and down: chunk. Left and right: column. D: next difference. O: next oversize. Enter: details.";

/** @type {Record<string, (moving: Moving) => void>} */
const MOVES = {
  ArrowDown: (moving) => moving.chunk(1),
  ArrowUp: (moving) => moving.chunk(-1),
  n: (moving) => moving.chunk(1),
  p: (moving) => moving.chunk(-1),
  ArrowRight: (moving) => moving.column(1),
  ArrowLeft: (moving) => moving.column(-1),
  d: (moving) => moving.difference(1),
  D: (moving) => moving.difference(-1),
  o: (moving) => moving.oversize(1),
  O: (moving) => moving.oversize(-1),
  m: (moving) => moving.mark(1),
  M: (moving) => moving.mark(-1),
};

/**
 * @param {Host} host
 * @param {AbortSignal} signal
 */
export function listenToKeys(host, signal) {
  host.scroller.addEventListener("keydown", (event) => press(host, event), { signal });
  for (const { element } of [host.toolbar, host.tuner, host.card]) {
    element.addEventListener("keydown", (event) => event.key === "Escape" && leave(host, event), { signal });
  }
}

/**
 * A key while the columns have the focus.
 *
 * @param {Host} host
 * @param {KeyboardEvent} event
 */
export function press(host, event) {
  if (!host.view || !host.doc) return; // nothing to move in yet
  if (host.editing.key(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    leave(host, event);
    return;
  }
  // Keys that mean nothing here still belong to the page, so that its own shortcuts work.
  const move = Object.hasOwn(MOVES, event.key) ? MOVES[event.key] : null;
  if (!move && event.key !== "Enter") return;
  event.preventDefault();
  event.stopPropagation();
  if (move) move(host.moving);
  else pin(host);
}

/**
 * Open the card about the current chunk, or close it.
 * @param {Host} host
 */
function pin(host) {
  if (host.card.open && host.card.pinned) {
    host.card.hide();
    return;
  }
  if (!host.current) host.moving.chunk(1);
  if (!host.current) return; // there is no chunk
  host.about.pin();
  host.send("selected", host.current);
}

/**
 * Close the card; where none is open, leave the place that is marked or current.
 *
 * @param {Host} host
 * @param {KeyboardEvent} event
 */
function leave(host, event) {
  if (!host.card.open && !host.mark && !host.current) return;
  event.stopPropagation();
  if (host.card.open) {
    host.card.hide();
    return;
  }
  host.mark = null;
  host.current = null;
  host.update();
  host.light();
}
