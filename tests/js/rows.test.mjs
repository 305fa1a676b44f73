/** Rows and columns without a page: where rows start, where a character is in a row, and what is said of a column. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDense, recount } from "../../chunkviz/ui/component/column-head.js";
import { endsOpen, placeIn, rowStart, visible } from "../../chunkviz/ui/component/rows.js";
import { column, element, random, text } from "./support.mjs";

test("a row starts where it says, and what comes after the last one is the end of the text", () => {
  const doc = /** @type {any} */ ({ text: "One\nTwo\n", rowStarts: [0, 4] });
  assert.deepEqual([0, 1, 2, Infinity].map((row) => rowStart(doc, row)), [0, 4, 8, 8]);
});

test("a row runs on where no line ends before the next", () => {
  assert.deepEqual([0, 3, 4, 5].map((at) => endsOpen("ab\ncd", at)), [false, false, true, false]);
  assert.equal(endsOpen("ab\rcd", 3), false);
});

test("every kind of line end is shown as one, and nothing moves", () => {
  assert.equal(visible("a\rb\r\nc\u0085d\u2028e\u2029f\n"), "a\nb\r\nc\nd\ne\nf\n");
  assert.equal(visible("a\r"), "a\n");
});

test("every character of a row is found in its piece, and at a seam on the side that is asked for", () => {
  for (let run = 0; run < 100; run++) {
    const pick = random(run);
    const texts = Array.from({ length: 1 + pick(5) }, (_, i) => text(String.fromCharCode(97 + i).repeat(1 + pick(6))));
    const row = element(...texts.map((own, i) => ((i + run) % 2 ? element(own) : own)));
    let offset = 0;
    for (const [i, own] of texts.entries()) {
      const length = own.textContent.length;
      for (let k = 0; k < length; k++, offset++) {
        assert.deepEqual(placeIn(row, offset, false), { node: own, offset: k });
        const seam = k === 0 && i > 0;
        const before = texts[i - 1];
        assert.deepEqual(
          placeIn(row, offset, true),
          seam ? { node: before, offset: before.textContent.length } : { node: own, offset: k },
        );
      }
    }
    assert.deepEqual(placeIn(row, offset, true), { node: texts.at(-1), offset: texts.at(-1).textContent.length });
    assert.deepEqual(placeIn(row, offset, false), { node: row, offset: texts.length });
  }
});

test("numbers stand at the start where several short chunks share a line", () => {
  assert.deepEqual([0, 1, 4, 5, 100].map((chunks) => isDense(chunks, 880)), [false, false, false, true, true]);
  assert.equal(isDense(0, 0), false);
});

test("a column says how many chunks it has, also where it is one", () => {
  const said = (count) => {
    const made = { dataset: {}, setAttribute: (name, value) => (made[name] = value) };
    const parts = { ".count": { textContent: "" }, ".subtitle": { textContent: "" } };
    const head = { querySelector: (name) => parts[name] };
    const starts = Array.from({ length: count }, (_, i) => i);
    const own = column({ starts, ends: starts.map((start) => start + 1) }, { subtitle: "size 9" });
    recount(/** @type {any} */ ({ element: made, head }), own);
    return [made["aria-label"], made.dataset.count, parts[".count"].textContent, parts[".subtitle"].textContent];
  };
  assert.deepEqual(said(1), ["Fixed, 1 chunk", "1", "1 chunk", "size 9"]);
  assert.deepEqual(said(1200), ["Fixed, 1,200 chunks", "1200", "1,200 chunks", "size 9"]);
});
