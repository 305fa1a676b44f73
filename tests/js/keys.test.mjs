/** Keys without a page: what each does, and which are left to the page and the browser. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { press } from "../../chunkviz/ui/component/keys.js";

/**
 * A viewer, as far as keys need one; `done` holds what was asked of it.
 * @param {Record<string, unknown>} [more]
 */
function host(more = {}) {
  const done = [];
  const note = (name) => (...given) => void done.push([name, ...given]);
  const moving = Object.fromEntries(["chunk", "column", "difference", "oversize", "mark"].map((name) => [name, note(name)]));
  const card = { open: false, pinned: false, hide: note("hide") };
  return /** @type {any} */ ({
    done, moving, card, view: {}, doc: {}, current: null, mark: null,
    editing: { key: () => false }, about: { pin: note("pin") }, send: note("send"), update() {}, light: note("light"),
    ...more,
  });
}

/** Press a key; says whether the viewer kept it from the page. */
function hit(viewer, key, held = {}) {
  let kept = false;
  const none = { ctrlKey: false, metaKey: false, altKey: false };
  const event = { key, ...none, preventDefault() {}, stopPropagation: () => (kept = true), ...held };
  press(viewer, /** @type {any} */ (event));
  return kept;
}

const MOVES = {
  ArrowDown: ["chunk", 1], ArrowUp: ["chunk", -1], n: ["chunk", 1], p: ["chunk", -1],
  ArrowRight: ["column", 1], ArrowLeft: ["column", -1], d: ["difference", 1], D: ["difference", -1],
  o: ["oversize", 1], O: ["oversize", -1], m: ["mark", 1], M: ["mark", -1],
};

test("every key moves as it is written beside its button", () => {
  for (const [key, move] of Object.entries(MOVES)) {
    const viewer = host();
    assert.equal(hit(viewer, key), true, key);
    assert.deepEqual(viewer.done, [move]);
  }
});

test("other keys, and keys held with Ctrl, Alt or Meta, belong to the page", () => {
  const viewer = host({ current: { column: 0, chunk: 1 } });
  for (const key of ["x", " ", "Tab", "toString", "constructor"]) assert.equal(hit(viewer, key), false, key);
  for (const held of ["ctrlKey", "metaKey", "altKey"]) {
    for (const key of [...Object.keys(MOVES), "Enter", "Escape"]) assert.equal(hit(viewer, key, { [held]: true }), false);
  }
  assert.deepEqual(viewer.done, []);
});

test("before anything is shown no key does anything, and editing has the first word", () => {
  for (const more of [{ view: null }, { doc: null }, { editing: { key: () => true } }]) {
    const viewer = host(more);
    for (const key of [...Object.keys(MOVES), "Enter", "Escape"]) assert.equal(hit(viewer, key), false);
    assert.deepEqual(viewer.done, []);
  }
});

test("Enter opens the card about the current chunk and tells the page, and closes it again", () => {
  const current = { column: 0, chunk: 1 };
  const viewer = host({ current });
  assert.equal(hit(viewer, "Enter"), true);
  assert.deepEqual(viewer.done, [["pin"], ["send", "selected", current]]);
  Object.assign(viewer.card, { open: true, pinned: true });
  hit(viewer, "Enter");
  assert.deepEqual(viewer.done.slice(2), [["hide"]]);
});

test("Enter without a current chunk begins with the first, and does nothing where there is none", () => {
  const viewer = host();
  viewer.moving.chunk = () => (viewer.current = { column: 0, chunk: 0 });
  hit(viewer, "Enter");
  assert.deepEqual(viewer.done, [["pin"], ["send", "selected", { column: 0, chunk: 0 }]]);
  const empty = host();
  hit(empty, "Enter");
  assert.deepEqual(empty.done, [["chunk", 1]]);
});

test("Escape closes the card, then leaves the place, then belongs to the page", () => {
  const viewer = host({ current: { column: 0, chunk: 1 }, mark: { start: 1, end: 2 } });
  viewer.card.open = true;
  viewer.card.hide = () => (viewer.card.open = false);
  assert.equal(hit(viewer, "Escape"), true);
  assert.ok(viewer.current && !viewer.card.open);
  assert.equal(hit(viewer, "Escape"), true);
  assert.deepEqual([viewer.current, viewer.mark, viewer.done], [null, null, [["light"]]]);
  assert.equal(hit(viewer, "Escape"), false);
  for (const place of [{ current: { column: 0, chunk: 1 } }, { mark: { start: 1, end: 2 } }]) {
    assert.equal(hit(host(place), "Escape"), true);
  }
});
