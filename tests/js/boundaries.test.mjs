/** Boundaries set by hand: the browser places them where Python does, and every edit can be taken back. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { shared, inWords, kindOf } from "../../chunkviz/ui/component/agreement.js";
import { areas } from "../../chunkviz/ui/component/areas.js";
import { History, isBlank, moved, nextStop, placed, redrawn, spansOf, split, stops } from "../../chunkviz/ui/component/boundaries.js";
import { random } from "./support.mjs";

const vectors = JSON.parse(readFileSync(new URL("../vectors/boundaries.json", import.meta.url), "utf-8"));

for (const { name, text, cases, shared: expected } of vectors) {
  test(`boundaries stand where Python puts them: ${name}`, () => {
    for (const one of cases) {
      assert.deepEqual(placed(text, one.positions), one.placed);
      const { starts, ends } = spansOf(text, one.placed);
      assert.deepEqual(Array.from(starts), one.starts);
      assert.deepEqual(Array.from(ends), one.ends);
    }
  });

  test(`who cuts where is what Python says: ${name}`, () => {
    const found = Array.from(shared(text, cases)).sort(([a], [b]) => a - b);
    assert.deepEqual(found, expected);
  });
}

test("white space is what Python takes for it", () => {
  const blank = Array.from({ length: 0x3001 }, (_, i) => i).filter((i) => isBlank(String.fromCharCode(i)));
  assert.equal(blank.length, 29);
  assert.ok(!isBlank("\ufeff"));
});

const TEXT = "One two three. Four five six. Seven eight.";

test("a boundary stays between its neighbours", () => {
  assert.deepEqual(moved(TEXT, [15, 30], 0, 20), [20, 30]);
  assert.equal(moved(TEXT, [15, 30], 0, 30), null);
  assert.equal(moved(TEXT, [15, 30], 1, 15), null);
  assert.equal(moved(TEXT, [15, 30], 0, 0), null);
  assert.equal(moved(TEXT, [15], 0, TEXT.length), null);
});

test("a split makes one boundary more, or none", () => {
  assert.deepEqual(split(TEXT, [15], 4), [4, 15]);
  assert.equal(split(TEXT, [15], 15), null);
  assert.equal(split(TEXT, [15], 14), null); // the blank before it
  assert.equal(split(TEXT, [15], 0), null);
});

test("stops are word starts in any script, and characters where asked for", () => {
  assert.deepEqual(stops("One two. (Three)"), [0, 4, 9, 10]);
  assert.deepEqual(stops("今天天气很好").length > 1, true);
  assert.deepEqual(stops("a👩‍👩‍👧‍👦 b", true), [0, 1, 13]);
  assert.deepEqual(stops(" \n"), []);
});

test("the next stop looks no further than it has to, and never into half a word", () => {
  assert.equal(nextStop(TEXT, 4, 1), 8);
  assert.equal(nextStop(TEXT, 4, -1), 0);
  assert.equal(nextStop(TEXT, 0, -1), null);
  const long = "word ".repeat(1000);
  assert.equal(nextStop(long, 2500, 1), 2505);
  assert.equal(nextStop(long, 2500, -1), 2495);
});

test("undo and redo walk the same way back and forth", () => {
  const history = new History([1]);
  history.push([1, 2]);
  history.push([2]);
  assert.ok(history.undo() && history.undo());
  assert.equal(history.undo(), false);
  assert.deepEqual(history.now, [1]);
  assert.ok(history.redo());
  assert.deepEqual(history.now, [1, 2]);
  history.push([9]);
  assert.equal(history.redo(), false);
  for (let i = 0; i < 500; i++) history.push([i]);
  assert.equal(history.past.length, 200);
});

test("a chunk that stays keeps what is known of it, a new one waits for Python", () => {
  const spans = spansOf(TEXT, [15, 30]);
  const numbers = (/** @type {number[]} */ ...of) => Uint32Array.from(of);
  const column = /** @type {any} */ ({
    title: "By hand", count: 3, ...spans, tokens: numbers(5, 6, 7), reasons: ["set by hand", "end"], reason: numbers(0, 0, 1),
    paths: [["A"]], path: numbers(0, 0, 0), contexts: [""], context: numbers(0, 0, 0),
    pageFirst: numbers(1, 1, 2), pageLast: numbers(1, 2, 2), marks: [], flags: new Map(), oversize: [],
  });
  const made = redrawn(column, spansOf(TEXT, [15, 20, 30]));
  assert.deepEqual(Array.from(made.tokens), [5, Number.NaN, Number.NaN, 7]);
  assert.deepEqual(Array.from(made.pageLast), [1, 0, 0, 2]);
  assert.equal(made.paths[made.path[1]].length, 0);
  const fewer = redrawn(column, spansOf(TEXT, [15]));
  assert.equal(fewer.reasons[fewer.reason[0]], "set by hand");
  assert.equal(column.count, 3);
});

test("agreement in words", () => {
  const columns = [{ title: "Fixed" }, { title: "Headings" }, { title: "Fixed" }];
  assert.equal(inWords(0b111, columns), "all columns cut here");
  assert.equal(inWords(0b010, columns), "only Headings cuts here");
  assert.equal(inWords(0b101, columns), "Fixed (column 1) and Fixed (column 3) cut here");
  assert.match(inWords(0, columns), /a chunk ends here/);
  assert.deepEqual([7, 2, 5].map((mask) => kindOf(mask, 3)), ["all", "one", "some"]);
});

test("areas are one rectangle per line, and no word is left out", () => {
  // Two lines of three words; the second chunk begins with the third word; the last word is cut in two.
  const boxes = [10, 0, 30, 10, 32, 0, 50, 10, 52, 1, 70, 10, 10, 12, 30, 22, 32, 12, 50, 22, 300, 12, 330, 22];
  const words = { starts: [0, 4, 8, 12, 16, 20], ends: [3, 7, 11, 15, 19, 26], boxes };
  const found = areas({ starts: [0, 8, 23], ends: [7, 23, 26] }, words);
  assert.deepEqual(found.get(0), [{ x0: 10, y0: 0, x1: 50, y1: 10 }]);
  assert.deepEqual(found.get(1), [
    { x0: 52, y0: 1, x1: 70, y1: 10 },
    { x0: 10, y0: 12, x1: 50, y1: 22 },
    { x0: 300, y0: 12, x1: 330, y1: 22 },
  ]);
  assert.deepEqual(found.get(2), [{ x0: 300, y0: 12, x1: 330, y1: 22 }]);
});

test("random edits and as many undos give back what was there", () => {
  for (let seed = 0; seed < 40; seed++) {
    const pick = random(seed);
    const history = new History(placed(TEXT, [pick(40), pick(40)]));
    const before = history.now;
    let steps = 0;
    for (let i = 0; i < 30; i++) {
      const made =
        pick(2) && history.now.length
          ? moved(TEXT, history.now, pick(history.now.length), pick(45))
          : split(TEXT, history.now, pick(45));
      if (!made) continue;
      assert.deepEqual(made, placed(TEXT, made));
      history.push(made);
      steps++;
    }
    while (history.undo()) steps--;
    assert.equal(steps, 0);
    assert.deepEqual(history.now, before);
  }
});
