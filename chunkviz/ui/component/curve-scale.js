/** From gaps and values to pixels of the curve and back. Nothing here draws or listens. */

export const HEIGHT = 190;
export const STRIP = 34; // height of the overview
export const LEFT = 44; // room for the numbers of the axis
export const RIGHT = 118; // room for the distribution and the value of the line
const TOP = 10;
const BOTTOM = 22; // the chunks as a band, and marks of a reference
const LEAST_PAD = 0.04; // of the axis above and below the values

/** Which part of the curve is in sight, and where each gap and each value of it stands. */
export class Scale {
  /** Of the whole element, in CSS pixels. */
  width = 0;
  /** The values at the lower and the upper end of the axis. */
  low = 0;
  high = 1;
  /** Gaps in all, and those in detail: from, to (exclusive). */
  count = 0;
  from = 0;
  to = 0;

  /**
   * An axis on which all values find room; from 0 to 1 where there are none.
   *
   * @param {Float64Array} values
   * @param {Float64Array} depths -Infinity where a value does not count
   */
  fit(values, depths) {
    let low = Infinity;
    let high = -Infinity;
    for (let gap = 0; gap < values.length; gap++) {
      if (depths[gap] === -Infinity) continue;
      low = Math.min(low, values[gap]);
      high = Math.max(high, values[gap]);
    }
    if (low > high) [low, high] = [0, 1];
    const pad = Math.max(LEAST_PAD, (high - low) * 0.08);
    this.low = low - pad;
    this.high = high + pad;
    this.count = values.length;
  }

  /**
   * Show `span` gaps from `first` on, as far as there are so many.
   *
   * @param {number} first
   * @param {number} span
   * @param {number} fewest
   */
  focus(first, span, fewest) {
    const width = Math.max(Math.min(fewest, this.count), Math.min(this.count, Math.round(span)));
    this.from = Math.max(0, Math.min(this.count - width, Math.round(first)));
    this.to = this.from + width;
  }

  /** The edges of the detail, in CSS pixels. */
  get plot() {
    return { left: LEFT, right: this.width - RIGHT, top: TOP, bottom: HEIGHT - BOTTOM };
  }

  /** @param {number} value */
  y(value) {
    const { top, bottom } = this.plot;
    return bottom - this.#share(value) * (bottom - top);
  }

  /** @param {number} y */
  valueAt(y) {
    const { top, bottom } = this.plot;
    return this.low + ((bottom - y) / (bottom - top)) * (this.high - this.low);
  }

  /** @param {number} gap */
  x(gap) {
    const { left, right } = this.plot;
    return left + ((gap - this.from + 0.5) / Math.max(1, this.to - this.from)) * (right - left);
  }

  /** @param {number} x */
  gapAt(x) {
    return this.from + (x - LEFT) / this.perGap - 0.5;
  }

  /** Pixels from one gap of the detail to the next. */
  get perGap() {
    const { left, right } = this.plot;
    return (right - left) / Math.max(1, this.to - this.from);
  }

  /** @param {number} gap */
  stripX(gap) {
    return LEFT + ((gap + 0.5) / Math.max(1, this.count)) * (this.width - LEFT - RIGHT);
  }

  /** @param {number} value */
  stripY(value) {
    return STRIP - 3 - this.#share(value) * (STRIP - 6);
  }

  /** @param {number} x */
  stripGapAt(x) {
    return ((x - LEFT) / Math.max(1, this.width - LEFT - RIGHT)) * this.count;
  }

  /** @param {number} value */
  #share(value) {
    return (value - this.low) / (this.high - this.low);
  }
}

/**
 * How many of some ascending numbers are below `value`: the index of the first that is not.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} value
 */
export function firstAtLeast(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The gap before the unit that holds a place: -1 for the first unit, -2 for a place before it.
 *
 * @param {ArrayLike<number>} starts UTF-16 offsets of the units
 * @param {number} place UTF-16 offset
 */
export function gapBefore(starts, place) {
  return firstAtLeast(starts, place + 1) - 2;
}

/**
 * Round numbers in a range, about five.
 * @param {number} low
 * @param {number} high
 */
export function ticks(low, high) {
  const step = high - low > 0.9 ? 0.2 : 0.1;
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) found.push(Math.round(i * step * 10) / 10);
  return found;
}
