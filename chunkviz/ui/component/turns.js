/**
 * From drops to chunks: what `chunkviz/similarity` does, once more, so that a threshold can be dragged without asking the
 * server. Pure functions; `tests/js` holds them to what Python makes of the same numbers.
 */

/** @typedef {import("./codec.js").Turns} Turns */

export const DROP = 1;
export const SECTION = 2;
export const DEEPEST = 3;
export const INSIDE = 4;

const LONGEST_TITLE = 60; // code points
const MOST_DIGITS = 6;
const EXACT = 60; // digits that tell whether a number lies exactly between two shorter ones

/**
 * The drops that count, ascending.
 * @param {Turns} turns
 */
export function ordered(turns) {
  return turns.drops.filter((drop) => drop !== -Infinity).sort();
}

/**
 * numpy.percentile of ascending numbers, to the last bit.
 *
 * @param {Float64Array} sorted not empty
 * @param {number} percent 0 to 100
 */
export function percentile(sorted, percent) {
  const at = (sorted.length - 1) * (percent / 100);
  const low = Math.floor(at);
  const a = sorted[low];
  const b = sorted[Math.min(low + 1, sorted.length - 1)];
  const share = at - low;
  const gap = b - a;
  return share >= 0.5 ? b - gap * (1 - share) : a + gap * share;
}

/**
 * What a drop must exceed to be a cut.
 *
 * @param {Turns} turns
 * @param {number} amount of the parameter
 * @param {Float64Array} sorted from `ordered`
 */
export function levelOf(turns, amount, sorted) {
  switch (turns.kind) {
    case "absolute":
      return -amount;
    case "percentile":
    case "gradient":
      return sorted.length ? percentile(sorted, amount) : Infinity;
    case "deviations":
      return turns.mean + amount * turns.deviation;
    case "interquartile":
      return turns.mean + amount * turns.quartiles;
    case "minimum":
      return amount;
    default:
      throw new Error(`The viewer does not know thresholds of the kind ${turns.kind}.`);
  }
}

/**
 * The amount whose level is nearest to `level`, on the grid of the parameter and inside its range.
 *
 * @param {Turns} turns
 * @param {number} level
 * @param {Float64Array} sorted
 */
export function amountAt(turns, level, sorted) {
  let amount;
  switch (turns.kind) {
    case "absolute":
      amount = -level;
      break;
    case "percentile":
    case "gradient":
      amount = share(sorted, level) * 100;
      break;
    case "deviations":
      amount = turns.deviation ? (level - turns.mean) / turns.deviation : turns.amount;
      break;
    case "interquartile":
      amount = turns.quartiles ? (level - turns.mean) / turns.quartiles : turns.amount;
      break;
    default:
      amount = level;
  }
  return legal(turns, amount);
}

/**
 * Rounded to a tenth of the parameter's step, so that what is dragged can be written down, and kept in its range.
 * @param {Turns} turns
 * @param {number} amount
 */
export function legal(turns, amount) {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(turns.step)));
  const rounded = Number(amount.toFixed(digits));
  return Math.min(turns.high, Math.max(turns.low, rounded));
}

/**
 * Where `level` stands among sorted numbers, 0 to 1, between two of them in proportion.
 * @param {Float64Array} sorted
 * @param {number} level
 */
function share(sorted, level) {
  const last = sorted.length - 1;
  if (last < 1) return 0;
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= level) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return 0;
  if (low > last) return 1;
  const gap = sorted[low] - sorted[low - 1];
  return (low - 1 + (gap > 0 ? (level - sorted[low - 1]) / gap : 0)) / last;
}

/**
 * Where the line of a level is drawn: on the similarity curve, or among the drops themselves.
 * @param {Turns} turns
 * @param {number} level
 */
export function shown(turns, level) {
  if (turns.axis !== "similarity") return level;
  return turns.kind === "absolute" ? -level : 1 - level;
}

/**
 * The level of a line drawn at `value`; the opposite of `shown`.
 * @param {Turns} turns
 * @param {number} value
 */
export function levelAt(turns, value) {
  if (turns.axis !== "similarity") return value;
  return turns.kind === "absolute" ? -value : 1 - value;
}

/**
 * @typedef {object} Regrouped
 * @property {number[]} firsts first unit of each chunk
 * @property {number[]} why each one starts there, 0 for the first
 * @property {number} merged stretches that were too short and joined a neighbour
 * @property {number} turned gaps that the threshold itself cut
 */

/**
 * Cut at a level, then keep the sizes. See the top of `chunkviz/similarity/turns.py`: the same steps in the same order.
 *
 * @param {Turns} turns
 * @param {number} level
 * @returns {Regrouped}
 */
export function regroup(turns, level) {
  const { drops, depths, sections, sentence, own, head, tail, size, smallest } = turns;
  const n = turns.starts.length;
  if (!n) return { firsts: [], why: [], merged: 0, turned: 0 };
  const length = (/** @type {number} */ first, /** @type {number} */ last) =>
    first === last ? own[first] : tail[last] - head[first];
  const reasons = new Uint8Array(n); // of the gap after each unit
  /** @type {number[]} */
  const parts = []; // first, last, first, last, ...
  let turned = 0;
  let begin = 0;
  for (let gap = 0; gap < n; gap++) {
    if (gap < n - 1) {
      const section = sections[gap] === 1;
      if (!section && !(drops[gap] > level)) continue;
      reasons[gap] = section ? SECTION : DROP;
      if (!section) turned++;
    }
    split(begin, gap);
    begin = gap + 1;
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  function split(from, to) {
    const waiting = [from, to];
    while (waiting.length) {
      const last = /** @type {number} */ (waiting.pop());
      const first = /** @type {number} */ (waiting.pop());
      if (first === last || length(first, last) <= size) {
        parts.push(first, last);
        continue;
      }
      const gap = deepest(depths, first, last - 1);
      reasons[gap] = sentence[gap] === sentence[gap + 1] ? INSIDE : DEEPEST;
      waiting.push(gap + 1, last, first, gap);
    }
  }

  /** @type {number[]} */
  const kept = [];
  let merged = 0;
  for (let at = 0; at < parts.length; at += 2) {
    let first = parts[at];
    let last = parts[at + 1];
    while (length(first, last) < smallest) {
      const left = kept.length > 0 && length(kept[kept.length - 2], last) <= size;
      const right = at + 2 < parts.length && length(first, parts[at + 3]) <= size;
      if (!left && !right) break;
      if (left && (!right || depths[first - 1] <= depths[last])) {
        kept.pop();
        first = /** @type {number} */ (kept.pop());
      } else {
        at += 2;
        last = parts[at + 1];
      }
      merged++;
    }
    kept.push(first, last);
  }
  /** @type {number[]} */
  const firsts = [];
  /** @type {number[]} */
  const why = [];
  for (let i = 0; i < kept.length; i += 2) {
    firsts.push(kept[i]);
    why.push(i ? reasons[kept[i] - 1] : 0);
  }
  return { firsts, why, merged, turned };
}

/**
 * The deepest gap of low ... high, both included; of several the one nearest to the middle, then the first.
 *
 * @param {Float64Array} depths
 * @param {number} low
 * @param {number} high
 */
function deepest(depths, low, high) {
  let best = low;
  for (let gap = low + 1; gap <= high; gap++) {
    if (depths[gap] > depths[best]) best = gap;
    else if (depths[gap] === depths[best] && Math.abs(2 * gap - low - high) < Math.abs(2 * best - low - high)) best = gap;
  }
  return best;
}

/**
 * A regrouping as the columns of the viewer are: starts, ends and sizes of chunks.
 *
 * @param {Turns} turns
 * @param {Regrouped} made
 */
export function chunksOf(turns, made) {
  const { firsts } = made;
  const m = firsts.length;
  const starts = new Uint32Array(m);
  const ends = new Uint32Array(m);
  const tokens = new Uint32Array(m);
  const path = new Uint32Array(m);
  const pageFirst = new Uint32Array(m);
  const pageLast = new Uint32Array(m);
  for (let i = 0; i < m; i++) {
    const first = firsts[i];
    const last = (i + 1 < m ? firsts[i + 1] : turns.starts.length) - 1;
    starts[i] = turns.starts[first];
    ends[i] = turns.ends[last];
    tokens[i] = first === last ? turns.own[first] : turns.tail[last] - turns.head[first];
    path[i] = turns.path[first];
    pageFirst[i] = turns.pageFirst[first];
    pageLast[i] = turns.pageLast[last];
  }
  return { count: m, starts, ends, tokens, path, pageFirst, pageLast };
}

/**
 * Why a chunk ends, to the letter what `reasons` in `chunkviz/similarity/cutting.py` says.
 *
 * @param {Turns} turns
 * @param {Regrouped} made
 * @param {number} level
 * @param {number} chunk
 */
export function ending(turns, made, level, chunk) {
  if (chunk + 1 >= made.firsts.length) return "end of the document";
  const unit = made.firsts[chunk + 1];
  const gap = unit - 1;
  switch (made.why[chunk + 1]) {
    case DROP:
      return dropped(turns, level, gap);
    case SECTION: {
      const title = turns.paths[turns.path[unit]].at(-1) ?? "";
      return `before the heading “${Array.from(title).slice(0, LONGEST_TITLE).join("")}”`;
    }
    case DEEPEST: {
      const how = turns.depths[gap] > -Infinity ? `similarity ${fixed(turns.values[gap], 2)}` : "no letters beside it";
      return `largest size reached; cut at the sharpest turn inside (${how})`;
    }
    default:
      return "one sentence larger than the largest chunk, cut inside";
  }
}

/**
 * @param {Turns} turns
 * @param {number} level
 * @param {number} gap
 */
function dropped(turns, level, gap) {
  if (turns.axis === "similarity") {
    const [alike, line] = toldApart(turns.values[gap], shown(turns, level));
    return `similarity ${alike} < ${line}`;
  }
  const [drop, line] = toldApart(turns.drops[gap], level);
  return turns.kind === "gradient" ? `similarity falls by ${drop} a step, more than ${line}` : `a dip ${drop} deep, more than ${line}`;
}

/**
 * Two different numbers with two digits, or as many more as it takes until they do not look equal.
 *
 * @param {number} a
 * @param {number} b
 */
function toldApart(a, b) {
  for (let digits = 2; digits < MOST_DIGITS; digits++) {
    const texts = [fixed(a, digits), fixed(b, digits)];
    if (texts[0] !== texts[1]) return texts;
  }
  return [fixed(a, MOST_DIGITS), fixed(b, MOST_DIGITS)];
}

/**
 * A number as Python writes it with so many digits: a value exactly between two goes to the even one, which `toFixed`
 * alone does not do; and a zero has no sign.
 *
 * @param {number} value
 * @param {number} digits
 */
export function fixed(value, digits) {
  let text = Math.abs(value).toFixed(digits);
  const [whole, rest] = Math.abs(value).toFixed(EXACT).split(".");
  // Exactly between: `toFixed` has taken the upper one, and the lower one is cut off.
  if (rest?.slice(digits).replace(/0+$/, "") === "5" && Number(rest[digits - 1]) % 2 === 0) {
    text = `${whole}.${rest.slice(0, digits)}`;
  }
  return value < 0 && Number(text) !== 0 ? `-${text}` : text;
}
