import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { amountAt, legal, levelAt, levelOf, ordered, percentile, regroup, shown } from "../../chunkviz/ui/component/turns.js";

const curves = JSON.parse(readFileSync(new URL("../vectors/turns.json", import.meta.url), "utf8"));
const cases = curves.flatMap(({ cuts, ...curve }) => cuts.map((cut) => ({ ...curve, ...cut })));

const floats = (list) => Float64Array.from(list, (x) => (x === null ? -Infinity : x));

function turnsOf(vector) {
  const n = vector.sentence.length;
  return {
    ...vector,
    starts: Uint32Array.from({ length: n }, (_, i) => i * 50),
    ends: Uint32Array.from({ length: n }, (_, i) => i * 50 + 48),
    sentence: Uint32Array.from(vector.sentence),
    own: floats(vector.own),
    head: floats(vector.head),
    tail: floats(vector.tail),
    values: floats(vector.values),
    drops: floats(vector.drops),
    depths: floats(vector.depths),
    sections: Uint8Array.from(vector.sections),
    low: -1,
    high: 100,
    step: 0.01,
  };
}

test("there is something to compare", () => {
  assert.ok(cases.length > 500);
  assert.deepEqual(new Set(cases.flatMap((c) => c.why)), new Set([0, 1, 2, 3, 4]));
  assert.ok(cases.some((c) => c.merged > 0));
});

test("levels are what Python computes, to the last bit", () => {
  for (const vector of cases) {
    const turns = turnsOf(vector);
    const level = levelOf(turns, vector.amount, ordered(turns));
    assert.equal(level, vector.level ?? Infinity, `${vector.kind} ${vector.amount}`);
    if (vector.line !== null) assert.equal(shown(turns, level), vector.line);
  }
});

test("cuts are what Python cuts", () => {
  for (const vector of cases) {
    const turns = turnsOf(vector);
    const made = regroup(turns, vector.level ?? Infinity);
    assert.deepEqual(made.firsts, vector.firsts, `${vector.kind} ${vector.amount} ${vector.size}`);
    assert.deepEqual(made.why, vector.why);
    assert.equal(made.merged, vector.merged);
  }
});

test("a liar is found out: strict where Python is not", () => {
  const lying = cases.filter((vector) => {
    const turns = turnsOf(vector);
    const level = vector.level ?? Infinity;
    const drops = turns.drops.map((drop) => (drop === level ? drop + 1e-9 : drop)); // >= instead of >
    return regroup({ ...turns, drops }, level).firsts.join() !== vector.firsts.join();
  });
  assert.ok(lying.length > 10);
});

test("the line and its level are two ways to say the same", () => {
  for (const kind of ["absolute", "percentile", "gradient"]) {
    const turns = { kind, axis: kind === "gradient" ? "fall per step" : "similarity" };
    for (const level of [-0.5, 0, 0.25, 0.75]) assert.equal(levelAt(turns, shown(turns, level)), level);
  }
});

test("a percentile that is dragged to is the percentile that was meant", () => {
  const sorted = Float64Array.from([0.1, 0.2, 0.4, 0.4, 0.9]);
  const turns = { kind: "percentile", low: 0, high: 100, step: 0.5 };
  for (const percent of [0, 10, 25, 62.5, 87.5, 100]) {
    const back = amountAt(turns, percentile(sorted, percent), sorted);
    assert.ok(Math.abs(percentile(sorted, back) - percentile(sorted, percent)) < 1e-9, `${percent} came back as ${back}`);
  }
  assert.equal(amountAt(turns, -5, sorted), 0);
  assert.equal(amountAt(turns, 5, sorted), 100);
});

test("amounts stay in their range and can be written down", () => {
  assert.equal(legal({ low: 0, high: 1, step: 0.01 }, 0.123456), 0.123);
  assert.equal(legal({ low: 0, high: 100, step: 0.5 }, 93.4567), 93.46);
  assert.equal(legal({ low: 0, high: 1, step: 0.01 }, 7), 1);
});
