/** Moving without a page: where each move ends, what it says, and what it does at the ends. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Moving, wordEnd } from "../../chunkviz/ui/component/moving.js";
import { column, random, randomSpans } from "./support.mjs";

/**
 * A viewer, as far as moving needs one. `said`, `spoken` and `revealed` hold what was asked of it.
 *
 * @param {any[]} columns
 * @param {{text?: string, differences?: number[], firstVisible?: number}} [more]
 */
function host(columns, { text = "x".repeat(100), differences = [], firstVisible = 0 } = {}) {
  const made = {
    column: 0, current: null, hovered: null, mark: null, markKind: 0, picked: null,
    said: [], spoken: [], revealed: [], followed: 0,
    get shown() {
      return { view: { columns, differences }, doc: { text }, own: columns[made.column] };
    },
    sight: { reveal: (...place) => made.revealed.push(place), firstVisible: () => firstVisible },
    agreement: { say: () => "all columns cut here" },
    about: { follow: () => made.followed++ },
    announce: (words) => made.said.push(words),
    speak: (words) => made.spoken.push(words),
    update() {},
    light() {},
  };
  return /** @type {any} */ (made);
}

test("next goes through every chunk in order, previous all the way back, and both say where they end", () => {
  for (let run = 0; run < 50; run++) {
    const spans = randomSpans(random(run), 60);
    const count = spans.starts.length;
    const viewer = host([column(spans)]);
    const moving = new Moving(viewer);
    moving.go({ column: 0, chunk: 0 });
    const there = [0];
    for (let i = 0; i < count; i++) {
      moving.chunk(1);
      there.push(viewer.current.chunk);
    }
    assert.deepEqual(there, [...Array(count).keys(), count - 1]);
    assert.deepEqual(viewer.said, ["This is the last chunk."]);
    for (let i = 0; i < count; i++) moving.chunk(-1);
    assert.equal(viewer.current.chunk, 0);
    assert.deepEqual(viewer.said.slice(1), ["This is the first chunk."]);
  }
});

test("without a current chunk, next begins with the first row in sight", () => {
  const spans = { starts: [0, 10, 20, 30], ends: [10, 20, 30, 40] };
  for (const [firstVisible, chunk] of [[0, 0], [10, 1], [24, 2], [39, 3]]) {
    const viewer = host([column(spans)], { firstVisible });
    new Moving(viewer).chunk(1);
    assert.deepEqual(viewer.current, { column: 0, chunk });
    assert.deepEqual(viewer.revealed, [[0, spans.starts[chunk]]]);
  }
});

test("after a jump, next begins at the place that was jumped to", () => {
  const viewer = host([column({ starts: [0, 10, 20], ends: [10, 20, 30] })]);
  const moving = new Moving(viewer);
  moving.go({ column: 0, chunk: 2 });
  moving.goTo(0, 12, 15, "Found");
  assert.equal(viewer.current, null);
  moving.chunk(1);
  assert.equal(viewer.current.chunk, 1);
  assert.equal(viewer.mark, null);
});

test("what is said to screen readers of a place is its text, and not all of a long one", () => {
  const text = "One two. ".repeat(90);
  const viewer = host([column({ starts: [0], ends: [text.length] })], { text });
  new Moving(viewer).goTo(0, 4, 700, "Found");
  assert.deepEqual(viewer.said, ["Found"]);
  assert.equal(viewer.spoken.at(-1), `Found: ${text.slice(4, 124)}`);
});

test("the column beside is entered where the reader is, and the outermost has none beside it", () => {
  const left = column({ starts: [0, 10, 20], ends: [10, 20, 30] });
  const right = column({ starts: [0, 15], ends: [15, 30] });
  const viewer = host([left, right]);
  const moving = new Moving(viewer);
  viewer.markKind = 2;
  moving.go({ column: 0, chunk: 2 });
  assert.equal(viewer.markKind, 2);
  moving.column(1);
  assert.deepEqual(viewer.current, { column: 1, chunk: 1 });
  assert.equal(viewer.markKind, 0, "kinds of findings belong to a column");
  moving.column(1);
  assert.deepEqual(viewer.current, { column: 1, chunk: 1 });
  moving.column(-1);
  assert.deepEqual(viewer.current, { column: 0, chunk: 1 });
});

test("a column without chunks can be entered, and says what it is", () => {
  const viewer = host([column({ starts: [0], ends: [9] }), column({ starts: [], ends: [] })]);
  const moving = new Moving(viewer);
  moving.go({ column: 0, chunk: 0 });
  moving.column(1);
  assert.deepEqual([viewer.column, viewer.current], [1, null]);
  moving.chunk(1);
  assert.deepEqual(viewer.said, Array(2).fill("This column has no chunks."));
});

test("differences come one after the other, with their first word, in both directions", () => {
  const text = "One two. Three four.\n  Five six.";
  const columns = [column({ starts: [0], ends: [31] }), column({ starts: [0], ends: [31] })];
  const viewer = host(columns, { text, differences: [9, 21] });
  const moving = new Moving(viewer);
  moving.difference(1);
  assert.deepEqual(viewer.mark, { start: 9, end: 14 });
  moving.difference(1);
  assert.deepEqual(viewer.mark, { start: 21, end: 27 });
  moving.difference(1);
  moving.difference(-1);
  assert.deepEqual(viewer.mark, { start: 9, end: 14 });
  moving.difference(-1);
  assert.deepEqual(viewer.said, [
    "Difference 1 of 2: all columns cut here",
    "Difference 2 of 2: all columns cut here",
    "No difference after this one.",
    "Difference 1 of 2: all columns cut here",
    "No difference before this one.",
  ]);
});

test("where there is no difference, it is said why", () => {
  const one = host([column({ starts: [0], ends: [9] })]);
  new Moving(one).difference(1);
  const two = host([column({ starts: [0], ends: [9] }), column({ starts: [0], ends: [9] })]);
  new Moving(two).difference(1);
  assert.deepEqual(one.said, ["One column has nothing to differ from."]);
  assert.deepEqual(two.said, ["All columns cut at the same places."]);
});

test("among oversize chunks, every one is reached once, and the one in sight first", () => {
  const spans = { starts: [0, 10, 20, 30, 40], ends: [10, 20, 30, 40, 50] };
  const viewer = host([column(spans, { oversize: [1, 3] })], { firstVisible: 11 });
  const moving = new Moving(viewer);
  moving.oversize(1);
  assert.equal(viewer.current.chunk, 1);
  moving.oversize(1);
  assert.equal(viewer.current.chunk, 3);
  moving.oversize(1);
  assert.equal(viewer.current.chunk, 3);
  moving.oversize(-1);
  moving.oversize(-1);
  assert.equal(viewer.current.chunk, 1);
  assert.deepEqual(viewer.said, ["No oversize chunk after this one.", "No oversize chunk before this one."]);
  const none = host([column(spans)]);
  new Moving(none).oversize(1);
  assert.deepEqual(none.said, ["No chunk of this column is over its size."]);
});

test("marked chunks are gone through in their own column", () => {
  const spans = { starts: [0, 10, 20], ends: [10, 20, 30] };
  const viewer = host([column(spans), column(spans)]);
  const moving = new Moving(viewer);
  moving.picked(1); // none is marked
  assert.equal(viewer.current, null);
  moving.go({ column: 0, chunk: 2 });
  viewer.picked = { column: 1, chunks: [0, 2] };
  moving.picked(1);
  assert.deepEqual(viewer.current, { column: 1, chunk: 0 });
  moving.picked(1);
  moving.picked(1);
  assert.deepEqual(viewer.current, { column: 1, chunk: 2 });
  assert.deepEqual(viewer.said, ["No marked chunk after this one."]);
});

test("a figure leads from one place to the next, after the last to the first, and another figure begins anew", () => {
  const marks = [
    { title: "Words cut", starts: [5, 15, 25], ends: [7, 17, 27] },
    { title: "Tables cut", starts: [8], ends: [9] },
  ];
  const spans = { starts: [0, 10, 20], ends: [10, 20, 30] };
  const viewer = host([column(spans), column(spans, { marks })]);
  const moving = new Moving(viewer);
  moving.go({ column: 0, chunk: 2 }); // must not decide where the figure begins
  const starts = [0, 0, 0, 0].map(() => {
    moving.follow(1, 0);
    return viewer.mark.start;
  });
  assert.deepEqual(starts, [5, 15, 25, 5]);
  moving.follow(1, 1);
  assert.deepEqual([viewer.mark, viewer.column, viewer.markKind], [{ start: 8, end: 9 }, 1, 1]);
  moving.follow(1, 0);
  assert.equal(viewer.mark.start, 5);
  assert.equal(viewer.said[2], "Words cut: 3 of 3");
  moving.mark(-1);
  viewer.column = 0;
  moving.mark(1);
  assert.deepEqual(viewer.said.slice(-2), ["None before this one.", "There is nothing to go to."]);
});

test("a chunk that is gone to is said in full, and an open card follows", () => {
  const viewer = host([column({ starts: [0, 10], ends: [10, 20] })]);
  new Moving(viewer).go({ column: 0, chunk: 1 });
  assert.equal(viewer.spoken[0], "Chunk 2 of 2, 7 tokens. Ends: size reached.");
  assert.equal(viewer.followed, 1);
});

test("the first word after a place, at most 24 letters of it, and one unit where none is near", () => {
  assert.equal(wordEnd("One two", 3), 7);
  assert.equal(wordEnd("a".repeat(90), 0), 24);
  assert.equal(wordEnd(" ".repeat(90), 0), 1);
});
