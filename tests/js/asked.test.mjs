/** What the page asks to be shown: each request is carried out once, and what a reader closed stays closed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Asked } from "../../chunkviz/ui/component/asked.js";
import { column } from "./support.mjs";

const COLUMNS = [column({ starts: [0, 10, 20], ends: [10, 20, 30] }), column({ starts: [0], ends: [30] })];

/** A viewer, as far as requests need one; `done` holds what was asked of it. */
function host() {
  const done = [];
  const note = (name) => (...given) => void done.push([name, ...given]);
  return {
    done, current: { column: 0, chunk: 2 }, picked: null,
    sight: { reveal: note("reveal") }, moving: { go: note("go"), goTo: note("goTo") },
    speak: note("speak"), update() {}, light() {},
  };
}
const view = (more) => /** @type {any} */ ({ columns: COLUMNS, highlight: null, focus: null, ...more });
const highlight = (nonce, chunks, at = 0) => view({ highlight: { column: at, chunks, nonce, label: "cited" } });
const focus = (nonce, more) => view({ focus: { column: 0, chunk: null, start: 12, end: 15, nonce, ...more } });

test("marked chunks come into sight once, not again with every view", () => {
  const viewer = host();
  const asked = new Asked(viewer);
  asked.pick(highlight("a", [1, 2]));
  asked.pick(highlight("a", [1, 2]));
  assert.deepEqual(viewer.picked, { column: 0, chunks: [1, 2], label: "cited" });
  assert.deepEqual(viewer.done, [["reveal", 0, 10]]);
  asked.pick(highlight("b", [0]));
  assert.deepEqual(viewer.done.at(-1), ["reveal", 0, 0]);
});

test("marks that were closed by hand stay closed until something else is asked", () => {
  const viewer = host();
  const asked = new Asked(viewer);
  asked.pick(highlight("a", [1]));
  viewer.picked = null;
  asked.pick(highlight("a", [1]));
  assert.equal(viewer.picked, null);
  asked.pick(highlight("b", [1]));
  assert.ok(viewer.picked);
  asked.pick(view({}));
  assert.equal(viewer.picked, null);
  asked.pick(highlight("b", [1])); // asked for again, after nothing was
  assert.deepEqual(viewer.picked?.chunks, [1]);
});

test("chunks and columns that are not there are not marked", () => {
  const viewer = host();
  const asked = new Asked(viewer);
  asked.pick(highlight("a", [2, 3, 99]));
  assert.deepEqual(viewer.picked?.chunks, [2]);
  asked.pick(highlight("b", [7]));
  assert.equal(viewer.picked, null);
  asked.pick(highlight("c", [0], 5));
  assert.equal(viewer.picked, null);
  assert.equal(viewer.done.length, 1);
});

test("a chunk or a place is gone to once", () => {
  const viewer = host();
  const asked = new Asked(viewer);
  for (const nonce of ["a", "a"]) asked.focus(focus(nonce, { chunk: 1 }));
  for (const nonce of ["b", "b"]) asked.focus(focus(nonce, {}));
  assert.deepEqual(viewer.done, [["go", { column: 0, chunk: 1 }], ["goTo", 0, 12, 15, "Found"]]);
});

test("a place without text comes into sight, and nothing is said of it", () => {
  const viewer = host();
  new Asked(viewer).focus(focus("a", { end: 12 }));
  assert.deepEqual(viewer.done, [["speak", ""], ["reveal", 0, 12]]);
  assert.equal(viewer.current, null);
});

test("a chunk or a column that is not there is not gone to", () => {
  const viewer = host();
  const asked = new Asked(viewer);
  asked.focus(focus("a", { chunk: 3 }));
  asked.focus(focus("b", { column: 2 }));
  assert.deepEqual(viewer.done, []);
  asked.focus(focus("b", {})); // the column has come since
  assert.equal(viewer.done.length, 1);
});
