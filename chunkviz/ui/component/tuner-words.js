/** What the Tune screen says below its curve: what this threshold does, and what a tenth more or less would do. */

import { legal } from "./turns.js";
import { number, plural } from "./words.js";

/** @typedef {import("./codec.js").Turns} Turns */
/** @typedef {import("./turns.js").Regrouped} Regrouped */

/**
 * What the threshold does, in sentences. The numbers add up: a text, cut so many times, less the parts that joined others.
 *
 * @param {Turns} turns
 * @param {Regrouped} made
 * @param {number} counted how many gaps have a drop: the turns among which the sharpest are cut
 * @param {string} word what sizes count: "tokens", "characters", "words"
 */
export function whatItDoes(turns, made, counted, word) {
  const count = made.firsts.length;
  const largest = `${number(turns.size)} ${word}`;
  const forced = made.why.filter((why) => why === 4).length;
  // Also those that are gone again, since a short part joined its neighbour.
  const longer = Math.max(0, count - 1 + made.merged - made.turned - headings(turns) - forced);
  const parts = [
    `${threshold(turns, made, counted)}: ${plural(count, "chunk")}.`,
    longer && `${plural(longer, "more cut")} because a stretch was longer than ${largest}.`,
    forced && `${plural(forced, "more cut")} inside a sentence that is longer than ${largest}.`,
    made.merged && `${plural(made.merged, "part")} under ${number(turns.smallest)} ${word} joined a neighbour.`,
  ];
  return parts.filter(Boolean).join(" ");
}

/** @param {Turns} turns */
function headings(turns) {
  return turns.sections.reduce((sum, one) => sum + one, 0);
}

/**
 * @param {Turns} turns
 * @param {Regrouped} made
 * @param {number} counted
 */
function threshold(turns, made, counted) {
  const before = headings(turns) ? `before ${plural(headings(turns), "heading")}` : "";
  if (!counted) {
    return before ? `Cuts ${before}; there are no other neighbouring sentences to compare` : nothingToCompare(turns);
  }
  if (made.turned) return `Cuts at ${sharpest(made.turned, counted)}${before && ` and ${before}`}`;
  const none = counted === 1 ? "The only turn is not sharp enough for a cut" : `None of ${number(counted)} turns is sharp enough for a cut`;
  return before ? `Cuts ${before}; ${none[0].toLowerCase()}${none.slice(1)}` : none;
}

/**
 * @param {number} turned
 * @param {number} counted
 */
function sharpest(turned, counted) {
  if (counted === 1) return "the only turn";
  if (turned === counted) return `all ${number(counted)} turns`;
  return `the ${turned === 1 ? "" : `${number(turned)} `}sharpest of ${number(counted)} turns`;
}

/** @param {Turns} turns */
function nothingToCompare(turns) {
  const sentences = turns.sentence.length ? turns.sentence[turns.sentence.length - 1] + 1 : 0;
  return sentences > 1
    ? "No two neighbouring sentences with letters or digits, so there is nothing to compare"
    : "One sentence, so there is nothing to compare";
}

/**
 * What a tenth less and a tenth more of the threshold would give.
 *
 * @param {Turns} turns
 * @param {number} amount of the parameter
 * @param {(amount: number) => number} countAt how many chunks an amount gives
 * @returns {string} "" where there is nothing to compare
 */
export function whatElse(turns, amount, countAt) {
  const now = countAt(amount);
  const sides = [-1, 1].map((sign) => {
    const { value, how } = beside(turns, amount, sign);
    if (value === amount) return `It cannot be ${sign < 0 ? "lower" : "higher"}.`;
    const count = countAt(value);
    const unit = turns.unit && ` ${turns.unit}`;
    const changed = count === now ? "nothing would change" : `it would be ${plural(count, "chunk")}`;
    return `${how} (${value}${unit}), ${changed}.`;
  });
  return sides.join(" ");
}

/**
 * A tenth of the amount to one side; of 0, a tenth of the range there.
 *
 * @param {Turns} turns
 * @param {number} amount
 * @param {number} sign -1 for less, 1 for more
 */
function beside(turns, amount, sign) {
  const tenth = Math.abs(amount) / 10 || Math.abs(sign < 0 ? turns.low : turns.high) / 10;
  const value = legal(turns, amount + sign * tenth);
  const end = sign < 0 ? turns.low : turns.high;
  if (value === end) return { value, how: sign < 0 ? "At the lowest" : "At the highest" };
  return { value, how: `${amount ? "A tenth" : "A little"} ${sign < 0 ? "lower" : "higher"}` };
}
