/**
 * The text of the document as elements: a row for each paragraph, and in a row a piece for each stretch that belongs to
 * the same chunks.
 *
 * Whatever marks a chunk must not move a letter (backgrounds, shadows, underlines, numbers outside the flow), or the
 * columns would no longer break lines at the same places.
 */

import { idsOf, upTo } from "./core.js";
import { make } from "./make.js";

/** @typedef {import("./codec.js").Doc} Doc */
/** @typedef {import("./codec.js").Column} Column */
/** @typedef {import("./core.js").Piece} Piece */

/**
 * @typedef {object} Cell one group of rows in one column
 * @property {HTMLElement} element
 * @property {HTMLElement[]} rows
 * @property {number} signature of what is painted, 0 for plain text
 */

const KINDS = ["plain", "h1", "h2", "h3", "h4", "h5", "h6", "code", "table", "list", "equation"];
const CODE = 7;
const OTHER_LINE_ENDS = /\r(?!\n)|[\u0085\u2028\u2029]/g; // old Macs, mainframes, and Unicode's own
const TEXT = 3; // Node.TEXT_NODE, spelled out for Node.js, which has no such name

/**
 * Where a row starts, and where the last one ends.
 *
 * @param {Doc} doc
 * @param {number} row
 * @returns {number} UTF-16 offset
 */
export function rowStart(doc, row) {
  return row < doc.rowStarts.length ? doc.rowStarts[row] : doc.text.length;
}

/**
 * A text as it is shown, letter for letter in the same places: line ends that a browser does not know are shown as one.
 *
 * @param {string} text
 */
export function visible(text) {
  return text.replace(OTHER_LINE_ENDS, "\n");
}

/**
 * The rows from `first` to before `last`, as plain text.
 *
 * @param {Doc} doc
 * @param {number} first
 * @param {number} last
 * @returns {Cell}
 */
export function makeCell(doc, first, last) {
  const element = make("div", "group");
  const rows = [];
  let lines = 0;
  for (let row = first; row < last; row++) {
    const start = doc.rowStarts[row];
    const end = rowStart(doc, row + 1);
    const element = make("div", `row ${KINDS[doc.rowKinds[row]]}`);
    element.textContent = visible(doc.text.slice(start, end));
    element.dir = doc.rowKinds[row] === CODE ? "ltr" : "auto";
    // A paragraph that was parted because it is long runs on in the same line.
    if (endsOpen(doc.text, end) || (row > first && endsOpen(doc.text, start))) element.classList.add("flow");
    const page = upTo(doc.pageStarts, end - 1) - 1;
    if (page >= 0 && doc.pageStarts[page] >= start) element.dataset.page = doc.pages[page][1];
    lines += 1 + (end - start) / 60;
    rows.push(element);
  }
  element.append(...rows);
  element.style.setProperty("--guess", `${Math.round(lines * 24)}px`);
  return { element, rows, signature: 0 };
}

/**
 * What a row shows of a piece. A chunk's number stands only where it starts.
 *
 * @param {string} text of the document
 * @param {Column} column
 * @param {ArrayLike<number>} colors of its chunks
 * @param {Piece} piece
 * @param {number} from where the row starts
 * @param {number} to where it ends
 * @returns {Node}
 */
export function makePiece(text, column, colors, piece, from, to) {
  const start = Math.max(piece.start, from);
  const end = Math.min(piece.end, to);
  // With one letter more, since a carriage return is half of a line end where a line feed follows.
  const own = visible(text.slice(start, end + 1)).slice(0, end - start);
  if (piece.last < piece.first) {
    if (piece.dropped < 0) return document.createTextNode(own);
    const gone = make("s", "dropped", own);
    gone.title = `Left out: ${column.dropped.reasons[piece.dropped]}`;
    return gone;
  }
  const element = make("span", `c${colors[piece.first]}`, own);
  element.dataset.chunk = idsOf(piece);
  if (piece.first < piece.last) element.className = `overlap a${colors[piece.first]} b${colors[piece.last]}`;
  if (piece.opens && start === piece.start) {
    element.classList.add("opens");
    element.dataset.number = String(piece.last + 1); // people count from one; data-chunk is the index
  }
  return element;
}

/**
 * Whether the text does not break its line right before `position`.
 *
 * @param {string} text
 * @param {number} position
 */
export function endsOpen(text, position) {
  if (position <= 0 || position >= text.length) return false;
  const before = text[position - 1];
  return before !== "\n" && before !== "\r";
}

/**
 * The text node of a row that holds its character at `offset`, and where in that node.
 *
 * @param {Node} row
 * @param {number} offset
 * @param {boolean} asEnd at the seam of two nodes: the end of the first instead of the start of the second
 * @returns {{node: Node, offset: number}}
 */
export function placeIn(row, offset, asEnd) {
  let left = offset;
  for (const child of row.childNodes) {
    const length = child.textContent?.length ?? 0;
    if (left < length || (asEnd && left === length)) {
      const node = child.nodeType === TEXT ? child : (child.firstChild ?? child);
      return { node, offset: left };
    }
    left -= length;
  }
  return { node: row, offset: row.childNodes.length };
}
