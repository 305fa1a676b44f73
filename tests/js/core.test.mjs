import assert from "node:assert/strict";
import { test } from "node:test";
import { readView, unpack } from "../../chunkviz/ui/component/codec.js";
import { chunksAt, groupRows, idsOf, lastOf, nearestChunk, pieces, signature, step, upTo } from "../../chunkviz/ui/component/core.js";
import { bytesOf, random, randomSpans, vectors } from "./support.mjs";

const RUNS = 300;

/** The slow way: which chunks hold the unit at `i`. */
const holding = (spans, i) => spans.starts.map((_, k) => k).filter((k) => spans.starts[k] <= i && i < spans.ends[k]);

for (const vector of vectors) {
  test(`${vector.name}: the pieces are those that Python found character by character`, () => {
    const view = readView(unpack(bytesOf(vector.view)));
    view.columns.forEach((column, at) => {
      const found = pieces(column, 0, vector.text.length).map((piece) => [
        piece.start,
        piece.end,
        idsOf(piece) ? idsOf(piece).split(" ").map(Number) : [],
        piece.opens,
        piece.dropped,
      ]);
      assert.deepEqual(found, vector.pieces[at]);
    });
  });
}

test("pieces follow each other without a gap and belong to the chunks that hold them", () => {
  for (let run = 0; run < RUNS; run++) {
    const pick = random(run);
    const length = 1 + pick(60);
    const spans = randomSpans(pick, length);
    const from = pick(length);
    const to = from + 1 + pick(length - from);
    const found = pieces(spans, from, to);
    assert.equal(found[0].start, from);
    assert.equal(found.at(-1)?.end, to);
    found.forEach((piece, i) => {
      assert.ok(piece.start < piece.end);
      if (i) assert.equal(piece.start, found[i - 1].end);
      for (let unit = piece.start; unit < piece.end; unit++) {
        assert.equal(idsOf(piece), holding(spans, unit).join(" "));
      }
      assert.equal(piece.opens, spans.starts.includes(piece.start));
      const out = spans.dropped.starts.findIndex((s, k) => s <= piece.start && piece.start < spans.dropped.ends[k]);
      assert.equal(piece.dropped, piece.first <= piece.last ? -1 : out);
    });
  }
});

test("pieces of parts are the pieces of the whole, cut at the seam", () => {
  for (let run = 0; run < RUNS; run++) {
    const pick = random(run + 1000);
    const length = 2 + pick(60);
    const spans = randomSpans(pick, length);
    const seam = 1 + pick(length - 1);
    const parts = [...pieces(spans, 0, seam), ...pieces(spans, seam, length)];
    for (const whole of pieces(spans, 0, length)) {
      const inside = parts.filter((p) => p.start < whole.end && p.end > whole.start);
      assert.ok(inside.every((p) => idsOf(p) === idsOf(whole) && p.dropped === whole.dropped));
    }
  }
});

test("an empty stretch has no pieces", () => {
  assert.deepEqual(pieces({ starts: [0], ends: [9], dropped: { starts: [], ends: [] } }, 4, 4), []);
});

test("the chunks at a position are those that hold it", () => {
  for (let run = 0; run < RUNS; run++) {
    const pick = random(run + 2000);
    const spans = randomSpans(pick, 40);
    for (let i = 0; i < 40; i++) assert.equal(idsOf(chunksAt(spans, i)), holding(spans, i).join(" "));
  }
});

test("the last chunk of a piece is read from its ids", () => {
  for (let first = 0; first < 120; first += 7) {
    for (let last = first; last < first + 13; last++) assert.equal(lastOf(idsOf({ first, last })), last);
  }
});

test("upTo counts the values that are not greater", () => {
  for (let run = 0; run < RUNS; run++) {
    const pick = random(run + 3000);
    const sorted = Array.from({ length: pick(12) }, () => pick(20)).sort((a, b) => a - b);
    for (let x = -1; x <= 20; x++) assert.equal(upTo(sorted, x), sorted.filter((v) => v <= x).length);
  }
});

test("step finds the nearest place on either side, never the place itself", () => {
  for (let run = 0; run < RUNS; run++) {
    const pick = random(run + 4000);
    const sorted = Array.from(new Set(Array.from({ length: pick(12) }, () => pick(30)))).sort((a, b) => a - b);
    for (let x = -1; x <= 30; x++) {
      const after = sorted.findIndex((v) => v > x);
      assert.equal(step(sorted, x, 1), after < 0 ? null : after);
      const before = sorted.findLastIndex((v) => v < x);
      assert.equal(step(sorted, x, -1), before < 0 ? null : before);
    }
  }
});

test("groups begin with the first row, keep their limits, and hold at least one row each", () => {
  for (let run = 0; run < RUNS; run++) {
    const pick = random(run + 5000);
    const starts = [0];
    while (starts.length < 1 + pick(80)) starts.push(/** @type {number} */ (starts.at(-1)) + 1 + pick(400));
    const length = /** @type {number} */ (starts.at(-1)) + 1 + pick(400);
    const groups = groupRows(starts, length, 8, 1000);
    assert.equal(groups[0], 0);
    groups.forEach((first, i) => {
      const last = groups[i + 1] ?? starts.length;
      assert.ok(first < last && last - first <= 8);
      const units = (starts[last] ?? length) - starts[first];
      assert.ok(units <= 1000 || last - first === 1);
    });
  }
  assert.deepEqual(groupRows([], 0), []);
});

test("the nearest chunk is the last that started", () => {
  const spans = { starts: [2, 5, 5, 9], ends: [4, 6, 9, 12] };
  assert.deepEqual([0, 2, 4, 5, 8, 9, 99].map((i) => nearestChunk(spans, i)), [0, 0, 0, 2, 2, 3, 3]);
  assert.equal(nearestChunk({ starts: [], ends: [] }, 3), null);
});

test("a signature changes with anything that can be seen", () => {
  const piece = { start: 0, end: 4, first: 1, last: 2, opens: true, dropped: -1 };
  const colors = [0, 1, 2, 3];
  const base = signature([piece], colors);
  assert.equal(signature([{ ...piece }], colors), base);
  for (const change of [{ start: 1 }, { first: 2 }, { last: 3 }, { opens: false }, { first: 3, dropped: 0 }]) {
    assert.notEqual(signature([{ ...piece, ...change }], colors), base, JSON.stringify(change));
  }
  assert.notEqual(signature([piece], [0, 3, 2, 1]), base);
  assert.notEqual(signature([piece, { ...piece, start: 4, end: 5 }], colors), base);
});
