import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { amountAt, ending, fixed, legal, levelAt, levelOf, ordered, percentile, regroup, shown } from "../../chunkviz/ui/component/turns.js";

const curves = JSON.parse(readFileSync(new URL("../vectors/turns.json", import.meta.url), "utf8"));
const cases = curves.flatMap(({ kinds, ...curve }) =>
  kinds.flatMap(({ cuts, ...kind }) => cuts.map((cut) => ({ ...curve, ...kind, ...cut }))),
);

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
    // Each unit under a heading of its own, which stands under another one.
    paths: (vector.titles ?? []).map((title) => (title === null ? [] : ["Above it", title])),
    path: Uint32Array.from({ length: n }, (_, i) => i),
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

/** Why each chunk but the last ends, in the browser's words. */
function endings(vector, turns = turnsOf(vector)) {
  const made = regroup(turns, vector.level ?? Infinity);
  return Array.from({ length: Math.max(0, made.firsts.length - 1) }, (_, chunk) =>
    ending(turns, made, vector.level ?? Infinity, chunk),
  );
}

test("reasons are what Python says, to the letter", () => {
  const spoken = cases.filter((vector) => vector.reasons);
  for (const vector of spoken) {
    assert.deepEqual(endings(vector), vector.reasons, `${vector.kind} ${vector.amount} ${vector.size}`);
    const turns = turnsOf(vector);
    const made = regroup(turns, vector.level ?? Infinity);
    if (made.firsts.length) assert.equal(ending(turns, made, 0, made.firsts.length - 1), "end of the document");
  }
  const said = new Set(spoken.flatMap((vector) => vector.reasons).map((reason) => reason.replace(/-?\d+\.\d+/g, "#")));
  for (const reason of [
    "similarity # < #",
    "similarity falls by # a step, more than #",
    "a dip # deep, more than #",
    "largest size reached; cut at the sharpest turn inside (similarity #)",
    "largest size reached; cut at the sharpest turn inside (no letters beside it)",
    "one sentence larger than the largest chunk, cut inside",
  ]) {
    assert.ok(said.has(reason), `no vector says: ${reason}`);
  }
  assert.ok(Array.from(said).some((reason) => /^before the heading “.*🦉/.test(reason)));
});

test("a reason with one digit less, or rounded like toFixed, is found out", () => {
  const spoken = cases.filter((vector) => vector.reasons).flatMap((vector) => vector.reasons);
  const numbers = spoken.flatMap((reason) => reason.match(/-?\d+\.\d+/g) ?? []);
  assert.ok(numbers.some((number) => number.split(".")[1].length > 2));
  assert.ok(numbers.includes("0.12") && numbers.includes("0.38"), "0.125 and 0.375, to the even neighbour");
  assert.ok(!numbers.includes("-0.00"));
});

test("numbers are written as Python writes them", () => {
  const pairs = [
    [0.125, "0.12"],
    [0.375, "0.38"],
    [-0.625, "-0.62"],
    [1.005, "1.00"],
    [0.995, "0.99"],
    [2.5, "2.50"],
    [-0.001, "0.00"],
    [-0, "0.00"],
    [1, "1.00"],
  ];
  for (const [value, text] of pairs) assert.equal(fixed(value, 2), text);
  assert.equal(fixed(0.0625, 3), "0.062");
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
