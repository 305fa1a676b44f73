/**
 * Pure functions over offsets: which pieces a stretch of text falls into, and where the next place of interest is.
 * No page is needed for any of them; `tests/js` runs them under Node, on vectors that Python made too.
 *
 * All offsets are UTF-16 units into the document's text, half-open.
 */

/**
 * A stretch of text that belongs to the same chunks from end to end.
 *
 * @typedef {object} Piece
 * @property {number} start
 * @property {number} end
 * @property {number} first the first chunk it belongs to
 * @property {number} last the last one; smaller than `first` where it belongs to none
 * @property {boolean} opens whether a chunk starts at its start
 * @property {number} dropped index of the dropped span it lies in, -1 for none; only for text outside all chunks
 */

/** @typedef {{starts: ArrayLike<number>, ends: ArrayLike<number>, dropped: {starts: ArrayLike<number>, ends: ArrayLike<number>}}} Spans */

/**
 * How many of the sorted values are <= x.
 * @param {ArrayLike<number>} sorted
 * @param {number} x
 */
export function upTo(sorted, x) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The chunks that cover the character at `position`: from `first` to `last`, none if `last < first`.
 *
 * Starts and ends never decrease, so the chunks that started are a head of the list, those not ended a tail.
 *
 * @param {{starts: ArrayLike<number>, ends: ArrayLike<number>}} spans
 * @param {number} position
 */
export function chunksAt(spans, position) {
  return { first: upTo(spans.ends, position), last: upTo(spans.starts, position) - 1 };
}

/**
 * `[from, to)` cut wherever a chunk or a dropped span starts or ends. Pieces follow each other without a gap.
 *
 * @param {Spans} spans
 * @param {number} from
 * @param {number} to
 * @returns {Piece[]}
 */
export function pieces(spans, from, to) {
  const { dropped } = spans;
  const edges = new Set([from]);
  for (const sorted of [spans.starts, spans.ends, dropped.starts, dropped.ends]) {
    for (let i = upTo(sorted, from); i < sorted.length && sorted[i] < to; i++) edges.add(sorted[i]);
  }
  const cuts = Array.from(edges).sort((a, b) => a - b);
  /** @type {Piece[]} */
  const found = [];
  for (let i = 0; i < cuts.length && from < to; i++) {
    const start = cuts[i];
    const end = i + 1 < cuts.length ? cuts[i + 1] : to;
    const { first, last } = chunksAt(spans, start);
    const opens = first <= last && spans.starts[last] === start;
    let out = -1;
    if (last < first) {
      const candidate = upTo(dropped.starts, start) - 1;
      if (candidate >= 0 && start < dropped.ends[candidate]) out = candidate;
    }
    found.push({ start, end, first, last, opens, dropped: out });
  }
  return found;
}

/**
 * The numbers of the chunks a piece belongs to, as `data-chunk` spells them: "3", in an overlap "3 4", "" for none.
 * @param {{first: number, last: number}} piece
 */
export function idsOf(piece) {
  let text = "";
  for (let i = piece.first; i <= piece.last; i++) text += text ? ` ${i}` : `${i}`;
  return text;
}

/**
 * The last chunk of those that `idsOf` spelled: the one that started last.
 * @param {string} [ids]
 */
export function lastOf(ids = "") {
  return Number(ids.slice(ids.lastIndexOf(" ") + 1));
}

/**
 * A number that changes when anything changes that can be seen of these pieces. Not for anything but comparing.
 *
 * @param {Piece[]} list
 * @param {ArrayLike<number>} colors of the column's chunks
 */
export function signature(list, colors) {
  let hash = 2166136261;
  const add = (/** @type {number} */ value) => {
    hash = Math.imul(hash ^ value, 16777619);
  };
  for (const piece of list) {
    add(piece.start);
    add(piece.first);
    add(piece.last);
    add(piece.opens ? 1 : 0);
    add(piece.dropped);
    if (piece.first <= piece.last) add(colors[piece.first] * 8 + colors[piece.last]);
  }
  return hash >>> 0;
}

/**
 * Rows in groups that are painted and skipped together: at most `mostRows` and about `mostUnits` in each.
 *
 * @param {ArrayLike<number>} rowStarts
 * @param {number} length of the text
 * @param {number} [mostRows]
 * @param {number} [mostUnits]
 * @returns {number[]} the first row of each group
 */
export function groupRows(rowStarts, length, mostRows = 16, mostUnits = 6000) {
  /** @type {number[]} */
  const groups = [];
  let first = 0;
  for (let row = 0; row < rowStarts.length; row++) {
    const end = row + 1 < rowStarts.length ? rowStarts[row + 1] : length;
    const full = row - first >= mostRows || (row > first && end - rowStarts[first] > mostUnits);
    if (row === 0 || full) {
      groups.push(row);
      first = row;
    }
  }
  return groups;
}

/**
 * The first of the sorted places after `position`, or the last before it; null where there is none.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} position
 * @param {1 | -1} direction
 * @returns {number | null} an index into `sorted`
 */
export function step(sorted, position, direction) {
  if (direction === 1) {
    const at = upTo(sorted, position);
    return at < sorted.length ? at : null;
  }
  const at = upTo(sorted, position - 1) - 1;
  return at >= 0 ? at : null;
}

/**
 * The chunk that a reader at `position` is in: the last that started there, the nearest where none covers it.
 *
 * @param {{starts: ArrayLike<number>, ends: ArrayLike<number>}} spans
 * @param {number} position
 * @returns {number | null} null for a column without chunks
 */
export function nearestChunk(spans, position) {
  if (spans.starts.length === 0) return null;
  return Math.max(0, upTo(spans.starts, position) - 1);
}
