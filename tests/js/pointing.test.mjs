/** What is pointed at, without a page: the bar of a cut, what lights up, and what the card is about. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { About } from "../../chunkviz/ui/component/about.js";
import { Lighting } from "../../chunkviz/ui/component/lighting.js";
import { onBar } from "../../chunkviz/ui/component/pointing.js";
import { column, withElements } from "./support.mjs";

const LEFT = column({ starts: [0, 10, 20], ends: [10, 20, 30] });
const RIGHT = column({ starts: [0, 15], ends: [15, 30] });

test("the bar of a cut is at the side where its text begins, and ends with its line", () => {
  const rect = { left: 100, right: 300, top: 50, bottom: 70 };
  const at = (x, y, right = false) => onBar({ clientX: x, clientY: y }, rect, right);
  assert.deepEqual([94, 95, 100, 105, 106].map((x) => at(x, 60)), [false, true, true, true, false]);
  assert.deepEqual([49, 50, 70, 71].map((y) => at(100, y)), [false, true, true, false]);
  assert.deepEqual([at(300, 60), at(300, 60, true), at(100, 60, true)], [false, true, false]);
});

/** What is lit up, by kind, as [column, start, end]. */
function lit(more) {
  const found = {};
  const lighting = new Lighting(/** @type {any} */ ({
    view: { columns: [LEFT, RIGHT] }, doc: null, current: null, hovered: null, mark: null, picked: null,
    renderer: { ranges: (...place) => [place] },
    marks: { set: (kind, ranges) => (found[kind] = ranges) },
    editing: { light() {} },
    ...more,
  }));
  lighting.now();
  return found;
}

test("a chunk and a place light up in every column, marked chunks in their own", () => {
  const found = lit({ current: { column: 0, chunk: 1 }, mark: { start: 3, end: 5 }, picked: { column: 1, chunks: [0, 1] } });
  assert.deepEqual(found, {
    lit: [[0, 10, 20], [1, 10, 20]],
    mark: [[0, 3, 5], [1, 3, 5]],
    picked: [[1, 0, 15], [1, 15, 30]],
  });
});

test("what is pointed at goes before what is current, and nothing lights up where there is nothing", () => {
  const found = lit({ current: { column: 0, chunk: 1 }, hovered: { column: 1, chunk: 1 } });
  assert.deepEqual(found.lit, [[0, 15, 30], [1, 15, 30]]);
  assert.deepEqual(lit({}), { lit: [], mark: [], picked: [] });
  assert.deepEqual(lit({ view: null }), {});
});

/** What cards were shown: [words, place, pinned], and "closed" for one that was taken away. */
function cards(more, act) {
  const seen = [];
  const own = { columns: [LEFT, RIGHT] };
  const host = {
    shown: { view: own, doc: { pages: [] }, own: LEFT },
    current: null,
    scroller: { getBoundingClientRect: () => ({ left: 500, top: 100 }) },
    renderer: { ranges: () => [] },
    card: {
      open: false,
      pinned: false,
      show: (nodes, ...rest) => seen.push([nodes[0].textContent, ...rest]),
      hide: () => seen.push("closed"),
    },
    agreement: { about: () => [] },
    ...more,
  };
  withElements(() => act(new About(/** @type {any} */ (host))));
  return seen;
}

test("the pinned card is about the current chunk, also where the active column is another one", () => {
  const seen = cards({ current: { column: 1, chunk: 1 } }, (about) => about.pin());
  assert.deepEqual(seen, [["Chunk 2 of 27 tokens", { x: 540, y: 180 }, true]]);
});

test("it stands below the chunk's first character where that is in the page", () => {
  const renderer = { ranges: (at, from, to) => [{ getBoundingClientRect: () => ({ left: at, bottom: from + to }) }] };
  const seen = cards({ current: { column: 0, chunk: 2 }, renderer }, (about) => about.pin());
  assert.deepEqual(seen[0][1], { x: 0, y: 41 });
});

test("a card that stays follows the current chunk, any other closes", () => {
  const pinned = { open: true, pinned: true, show: () => (pinned.shown = true), hide: () => assert.fail("it stays") };
  cards({ current: { column: 0, chunk: 0 }, card: pinned }, (about) => about.follow());
  assert.equal(pinned.shown, true);
  assert.deepEqual(cards({ current: { column: 0, chunk: 0 } }, (about) => about.follow()), ["closed"]);
});

test("a card under the pointer is about the chunk, or about the cut before it", () => {
  const piece = /** @type {any} */ ({ dataset: { chunk: "0 1" } });
  const spot = { x: 1, y: 2 };
  assert.deepEqual(cards({}, (about) => about.point(0, piece, true, spot, false)), [["Cut before chunk 2", spot, false]]);
  assert.deepEqual(cards({}, (about) => about.point(0, piece, false, spot, true)), [["Chunk 2 of 37 tokens", spot, true]]);
});
