import assert from "node:assert/strict";
import { test } from "node:test";
import { whatElse, whatItDoes } from "../../chunkviz/ui/component/tuner-words.js";

/** Six sentences, the most that a chunk may count and the least, and no heading. */
const turns = (changes = {}) => ({
  kind: "percentile",
  unit: "% of all turns",
  low: 0,
  high: 100,
  step: 0.5,
  size: 512,
  smallest: 40,
  sentence: Uint32Array.of(0, 1, 2, 3, 4, 5),
  sections: new Uint8Array(5),
  ...changes,
});
const made = (why, turned, merged = 0) => ({ firsts: why.map((_, i) => i), why, turned, merged });

test("what a threshold does, in numbers that are right in the singular too", () => {
  const say = (...made_) => whatItDoes(turns(), made(...made_), 5, "tokens");
  assert.equal(say([0, 1, 1], 2), "Cuts at the 2 sharpest of 5 turns: 3 chunks.");
  assert.equal(say([0, 1], 1), "Cuts at the sharpest of 5 turns: 2 chunks.");
  assert.equal(say([0, 1, 1, 1, 1, 1], 5), "Cuts at all 5 turns: 6 chunks.");
  assert.equal(say([0], 0), "None of 5 turns is sharp enough for a cut: 1 chunk.");
  assert.equal(
    say([0, 1], 3, 2),
    "Cuts at the 3 sharpest of 5 turns: 2 chunks. 2 parts under 40 tokens joined a neighbour.",
  );
  assert.equal(
    say([0, 1, 3], 1),
    "Cuts at the sharpest of 5 turns: 3 chunks. 1 more cut because a stretch was longer than 512 tokens.",
  );
  // Of two cuts in a long stretch one is gone again: 1 + 2 + 2 − 2 chunks.
  assert.equal(
    say([0, 1, 3], 2, 2),
    "Cuts at the 2 sharpest of 5 turns: 3 chunks. 2 more cuts because a stretch was longer than 512 tokens. " +
      "2 parts under 40 tokens joined a neighbour.",
  );
  // Nothing is said of “that” where nothing was said before.
  assert.equal(
    say([0, 4, 4], 0),
    "None of 5 turns is sharp enough for a cut: 3 chunks. 2 more cuts inside a sentence that is longer than 512 tokens.",
  );
});

test("a document with nothing to compare says so", () => {
  const alone = { sentence: Uint32Array.of(0), sections: new Uint8Array(0) };
  assert.equal(whatItDoes(turns(alone), made([0], 0), 0, "words"), "One sentence, so there is nothing to compare: 1 chunk.");
  const pieces = { sentence: Uint32Array.of(0, 0, 0), sections: new Uint8Array(2), size: 5 };
  assert.equal(
    whatItDoes(turns(pieces), made([0, 4, 4], 0), 0, "words"),
    "One sentence, so there is nothing to compare: 3 chunks. 2 more cuts inside a sentence that is longer than 5 words.",
  );
  assert.match(whatItDoes(turns(), made([0], 0), 0, "words"), /^No two neighbouring sentences with letters or digits/);
  assert.equal(whatItDoes(turns({ sentence: Uint32Array.of(0, 1) }), made([0, 1], 1), 1, "words"), "Cuts at the only turn: 2 chunks.");
  assert.equal(
    whatItDoes(turns({ sentence: Uint32Array.of(0, 1) }), made([0], 0), 1, "words"),
    "The only turn is not sharp enough for a cut: 1 chunk.",
  );
});

test("headings are cuts of their own", () => {
  const headed = { sections: Uint8Array.of(0, 1, 0, 1, 0) };
  assert.equal(whatItDoes(turns(headed), made([0, 2, 1, 2], 1), 3, "tokens"), "Cuts at the sharpest of 3 turns and before 2 headings: 4 chunks.");
  assert.equal(
    whatItDoes(turns(headed), made([0, 2, 2], 0), 3, "tokens"),
    "Cuts before 2 headings; none of 3 turns is sharp enough for a cut: 3 chunks.",
  );
  assert.match(whatItDoes(turns(headed), made([0, 2, 2], 0), 0, "tokens"), /^Cuts before 2 headings; there are no other/);
});

test("a tenth less is less and a tenth more is more, also below zero and at the ends", () => {
  const absolute = { kind: "absolute", unit: "", low: -1, high: 1, step: 0.01 };
  /** The amounts that were asked for, in order, and what was said. */
  const asked = (changes, amount) => {
    const seen = [];
    const said = whatElse(turns(changes), amount, (one) => {
      seen.push(one);
      return 1 + Math.round(100 * one ** 2);
    });
    return { seen, said };
  };
  assert.deepEqual(asked(absolute, 0.5).seen, [0.5, 0.45, 0.55]);
  assert.equal(asked(absolute, 0.5).said, "A tenth lower (0.45), it would be 21 chunks. A tenth higher (0.55), it would be 31 chunks.");
  assert.deepEqual(asked(absolute, -0.5).seen, [-0.5, -0.55, -0.45]);
  assert.deepEqual(asked(absolute, 0).seen, [0, -0.1, 0.1]);
  assert.match(asked(absolute, 0).said, /^A little lower \(-0.1\), it would be 2 chunks\. A little higher/);
  assert.match(asked(absolute, -1).said, /^It cannot be lower\. A tenth higher \(-0.9\)/);
  assert.match(asked({}, 95).said, /At the highest \(100 % of all turns\)/);
  assert.match(asked({}, 100).said, /It cannot be higher\.$/);
  const same = whatElse(turns(), 90, () => 7);
  assert.equal(same, "A tenth lower (81 % of all turns), nothing would change. A tenth higher (99 % of all turns), nothing would change.");
});
