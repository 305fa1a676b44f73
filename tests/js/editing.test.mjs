/** Editing by hand without a page: what waits for an answer, keys, and where a pointer is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { spansOf } from "../../chunkviz/ui/component/boundaries.js";
import { commandOf } from "../../chunkviz/ui/component/editing-buttons.js";
import { pull, pushed } from "../../chunkviz/ui/component/editing-drag.js";
import { beginsRight, distance, reachOf } from "../../chunkviz/ui/component/editing-places.js";
import { Edits } from "../../chunkviz/ui/component/editing-state.js";
import { random } from "./support.mjs";

const TEXT = "One two three. Four five six. Seven eight.";
const DOC = /** @type {any} */ ({ id: "d", text: TEXT });

/** A column as Python sends it; `edit` is the last edit that is in it, left out where it is not edited. */
function column(boundaries, edit = undefined) {
  const spans = spansOf(TEXT, boundaries);
  const zeros = new Uint32Array(spans.starts.length);
  return {
    count: zeros.length, ...spans, edit, tokens: zeros, reasons: ["x"], reason: zeros, paths: [[]], path: zeros,
    contexts: [""], context: zeros, pageFirst: zeros, pageLast: zeros, marks: [], flags: new Map(), oversize: [],
  };
}
const view = (...columns) => /** @type {any} */ ({ columns });
const startsOf = (shown, at) => Array.from(shown.columns[at].starts).slice(1);

test("what was drawn stays until Python has answered this very edit", () => {
  const edits = new Edits("s");
  edits.receive(DOC, view(column([15], "")));
  edits.push(0, [15, 30]);
  assert.deepEqual(edits.message(0), { docId: "d", columns: { 0: { starts: [15, 30], name: "s.1" } } });
  edits.push(0, [30]);
  edits.message(0);
  assert.deepEqual(startsOf(edits.receive(DOC, view(column([15, 30], "s.1"))), 0), [30]); // an older answer
  assert.equal(edits.columns.get(0)?.pending, true);
  assert.deepEqual(startsOf(edits.receive(DOC, view(column([30], "s.2"))), 0), [30]);
  assert.equal(edits.columns.get(0)?.pending, false);
  assert.equal(edits.columns.get(0)?.history.past.length, 2);
});

test("a message says every column that waits, since the next one replaces it", () => {
  const edits = new Edits("s");
  edits.receive(DOC, view(column([15], ""), column([4], "")));
  edits.push(0, [30]);
  edits.message(0);
  edits.push(1, [8]);
  const both = { 0: { starts: [30], name: "s.1" }, 1: { starts: [8], name: "s.2" } };
  assert.deepEqual(edits.message(1)?.columns, both);
  edits.receive(DOC, view(column([30], "s.1"), column([8], "s.2")));
  edits.push(1, [9]);
  assert.deepEqual(Object.keys(edits.message(1)?.columns ?? {}), ["1"]);
  assert.equal(edits.message(2), null);
});

test("what Python makes of an edit is the last word, and no step of its own", () => {
  const edits = new Edits("s");
  edits.receive(DOC, view(column([15], "")));
  edits.push(0, [16]);
  edits.message(0);
  assert.deepEqual(startsOf(edits.receive(DOC, view(column([15, 20], "s.1"))), 0), [15, 20]);
  assert.equal(edits.columns.get(0)?.history.past.length, 1);
});

test("boundaries from elsewhere can be undone", () => {
  const edits = new Edits("s");
  edits.receive(DOC, view(column([15], "")));
  edits.receive(DOC, view(column([4, 8], ""))); // read from a file
  const history = edits.columns.get(0)?.history;
  assert.ok(history?.undo());
  assert.deepEqual(history.now, [15]);
});

test("a column that was left and is edited again can be taken back to where it was left", () => {
  const edits = new Edits("s");
  edits.receive(DOC, view(column([15], "")));
  edits.push(0, [15, 30]);
  edits.message(0); // never answered
  edits.receive(DOC, view(column([4]))); // another strategy
  assert.equal(edits.columns.size, 0);
  assert.deepEqual(startsOf(edits.receive(DOC, view(column([4], "s.1"))), 0), [4]); // begun anew from its result
  const history = edits.columns.get(0)?.history;
  assert.ok(history?.undo());
  assert.deepEqual(history.now, [15, 30]);
});

test("a column that is gone is not edited, and another document has a history of its own", () => {
  const edits = new Edits("s");
  edits.receive(DOC, view(column([15]), column([4], "")));
  assert.equal(edits.target(0), 1);
  edits.receive(DOC, view(column([15])));
  assert.equal(edits.target(0), null);
  edits.receive(DOC, view(column([15], "")));
  edits.push(0, [16]);
  edits.receive(/** @type {any} */ ({ id: "other", text: TEXT }), view(column([4], "")));
  assert.equal(edits.columns.get(0)?.history.past.length, 0);
  assert.equal(edits.target(3), 0);
});

test("random edits, late answers and lost ones end at what was edited last", () => {
  for (let seed = 0; seed < 60; seed++) {
    const pick = random(seed);
    const edits = new Edits("s");
    let python = [{ starts: [15], name: "" }, { starts: [4], name: "" }];
    edits.receive(DOC, view(...python.map((p) => column(p.starts, p.name))));
    /** Messages on their way; each may be overtaken by the next. @type {any[]} */
    const sent = [];
    const hear = () => {
      const said = sent.splice(0, 1 + pick(sent.length)).at(-1);
      python = python.map((p, at) => said?.columns[at] ?? p);
      edits.receive(DOC, view(...python.map((p) => column(p.starts, p.name))));
    };
    for (let i = 0; i < 25; i++) {
      const at = pick(2);
      edits.push(at, [1 + pick(40)].map((x) => (TEXT[x] === " " ? x + 1 : x)));
      sent.push(edits.message(at));
      if (pick(3) === 0) hear();
    }
    const wanted = [0, 1].map((at) => edits.columns.get(at)?.history.now);
    while (sent.length) hear();
    assert.deepEqual(python.map((p) => p.starts), wanted);
    assert.deepEqual([0, 1].map((at) => edits.columns.get(at)?.pending), [false, false]);
  }
});

const press = (key, held = {}) => commandOf({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held });

test("keys mean what they say, and leave the page its own", () => {
  assert.deepEqual(["s", "Backspace", "Delete", "[", "]", ",", "."].map((key) => press(key)), [
    "split", "merge", "merge", "back", "on", "before", "after",
  ]);
  assert.equal(press("z", { ctrlKey: true }), "undo");
  assert.equal(press("Z", { metaKey: true, shiftKey: true }), "redo");
  assert.equal(press("y", { ctrlKey: true }), "redo");
  for (const key of ["a", "z", "toString", "Enter", "S"]) assert.equal(press(key), null);
  assert.equal(press("s", { ctrlKey: true }), null); // the browser's own
  assert.equal(press("[", { metaKey: true }), null); // back, on a Mac
  assert.equal(press("z", { ctrlKey: true, altKey: true }), null);
  assert.equal(press("[", { ctrlKey: true, altKey: true }), "back"); // AltGr + 8
});

test("a dragged boundary goes as far as its neighbours let it, however fast the pointer is", () => {
  assert.deepEqual(pushed(TEXT, [15, 30], 0, 20), [20, 30]);
  assert.deepEqual(pushed(TEXT, [15, 30], 0, 36), [25, 30]); // the last word before the next boundary
  assert.deepEqual(pushed(TEXT, [15, 30], 1, 2), [15, 20]);
  assert.deepEqual(pushed(TEXT, [15, 30], 0, 0), [4, 30]);
  assert.deepEqual(pushed(TEXT, [15, 30], 1, TEXT.length), [15, 36]);
  assert.deepEqual(pushed(TEXT, [4, 8], 0, 30), [4, 8]); // no word between the two
  for (let seed = 0; seed < 300; seed++) {
    const pick = random(seed);
    const before = [1 + pick(10), 12 + pick(10), 25 + pick(10)].map((at) => (TEXT[at] === " " ? at + 1 : at));
    const made = pushed(TEXT, before, 1, pick(TEXT.length));
    if (made) assert.ok(made[0] === before[0] && made[2] === before[2] && made[0] < made[1] && made[1] < made[2]);
  }
});

test("the text scrolls only near its edges, faster further out, and never too fast", () => {
  assert.equal(pull(300, 100, 500), 0);
  assert.ok(pull(480, 100, 500) > 0 && pull(490, 100, 500) > pull(480, 100, 500));
  assert.ok(pull(120, 100, 500) < 0);
  assert.equal(pull(90_000, 100, 500), 18);
  assert.equal(pull(-90_000, 100, 500), -18);
});

test("lines count first, then the nearer edge at which a word begins", () => {
  const rect = { left: 100, right: 110, top: 50, bottom: 70 };
  assert.equal(distance({ x: 103, y: 60 }, rect, false, true), 3);
  assert.equal(distance({ x: 103, y: 60 }, rect, true, true), 7);
  assert.ok(distance({ x: 100, y: 80 }, rect, false, true) > distance({ x: 9000, y: 60 }, rect, false, true));
  // For a click the word that the point is behind, were the next one ever so near.
  const next = { ...rect, left: 200, right: 210 };
  const click = { x: 195, y: 60 };
  assert.ok(distance(click, rect, false, false) < distance(click, next, false, false));
  assert.ok(distance(click, next, false, true) < distance(click, rect, false, true));
});

test("a word begins where its script begins", () => {
  assert.equal(beginsRight("مرحبا", false), true);
  assert.equal(beginsRight("שלום", false), true);
  assert.equal(beginsRight("hello", true), false); // English inside a paragraph from right to left
  assert.equal(beginsRight("42", true), true);
  assert.equal(beginsRight("🦋", false), false);
});

test("a finger needs a target of 24 pixels at least", () => {
  for (const type of ["touch", "pen"]) assert.ok(2 * reachOf(type) >= 24);
  assert.ok(reachOf("mouse") < reachOf("touch"));
});
