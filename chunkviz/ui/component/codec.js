/**
 * Reads the blobs that `chunkviz/blob.py` packs; the layout is described there.
 *
 * Every length is checked: a blob that does not fit together is refused with a sentence, never half shown.
 */

export const VERSION = 2;

/** @typedef {Uint8Array | Uint32Array | Float64Array} Items */

const SIZES = { u8: 1, u32: 4, f64: 8 };
const MAKERS = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array };
/** @typedef {{ header: Record<string, any>, arrays: Map<string, Items> }} Blob */

/**
 * @typedef {object} Doc
 * @property {string} id
 * @property {string} name
 * @property {string} text
 * @property {Uint32Array} rowStarts UTF-16 offsets, the first is 0
 * @property {Uint8Array} rowKinds 0 plain, 1-6 heading, 7 code, 8 table, 9 list, 10 equation
 * @property {Uint32Array} pageStarts
 * @property {[number, string][]} pages number and label of each page
 */

/**
 * What stands above a column; each chip is [title, text, help, whether it deserves a look, index into marks or -1].
 *
 * @typedef {object} Audit
 * @property {string} headline
 * @property {string} sizes
 * @property {string} sizesHelp
 * @property {[string, string, string, boolean, number][]} chips
 */

/**
 * @typedef {object} Column
 * @property {string} strategy
 * @property {string} title
 * @property {string} subtitle
 * @property {string} word what sizes count: "tokens", "characters", "words"
 * @property {number | null} limit the size asked for
 * @property {string[]} notes fallbacks that were taken
 * @property {string[]} reasons
 * @property {string[][]} paths
 * @property {string[]} contexts
 * @property {Audit | null} audit
 * @property {{key: string, controls: Record<string, string>, values: Record<string, number>}} [following] in columns that
 *   are cut again while their sliders move
 * @property {string} [edit] in columns that are edited by hand: the name of the last edit that is in it
 * @property {(chunk: number) => string} [endingOf] why a chunk ends, instead of `reasons`, while a threshold is dragged
 * @property {number} count
 * @property {Uint32Array} starts never decreasing
 * @property {Uint32Array} ends never decreasing
 * @property {Uint32Array} tokens
 * @property {Uint32Array} reason index into `reasons`
 * @property {Uint32Array} path index into `paths`
 * @property {Uint32Array} context index into `contexts`
 * @property {Uint32Array} pageFirst 0 for none
 * @property {Uint32Array} pageLast
 * @property {Map<number, {name: string, reason: string}[]>} flags by chunk
 * @property {number[]} oversize chunks with that flag, in order
 * @property {{starts: Uint32Array, ends: Uint32Array, reasons: string[]}} dropped
 * @property {{title: string, starts: Uint32Array, ends: Uint32Array}[]} marks findings to jump to, by kind
 */

/**
 * What cuts the first column again while its threshold is dragged: n units, n - 1 gaps between them.
 *
 * @typedef {object} Turns
 * @property {string} kind of threshold
 * @property {string} axis what the drops are called; "similarity" for kinds whose line lies on the curve itself
 * @property {string} param name of the parameter
 * @property {number} amount of the parameter
 * @property {number} mean of the drops, and so on
 * @property {number} deviation
 * @property {number} quartiles
 * @property {number} size the most a chunk may count
 * @property {number} smallest
 * @property {number} low range of the parameter
 * @property {number} high
 * @property {number} step
 * @property {string} label
 * @property {string} unit
 * @property {number | null} limit what the embedding model reads
 * @property {string[][]} paths
 * @property {Uint32Array} starts UTF-16 offsets of the units
 * @property {Uint32Array} ends
 * @property {Uint32Array} sentence the sentence of each unit
 * @property {Uint32Array} path
 * @property {Uint32Array} pageFirst
 * @property {Uint32Array} pageLast
 * @property {Float64Array} own sizes: own[i] for one unit, tail[j] - head[i] for the units i ... j
 * @property {Float64Array} head
 * @property {Float64Array} tail
 * @property {Float64Array} values similarities
 * @property {Float64Array} drops -Infinity where a gap is never a turn
 * @property {Float64Array} depths 1 - similarity, -Infinity where there is none
 * @property {Uint8Array} sections 1 for a gap before a section
 * @property {Uint32Array} reference UTF-16 offsets where topics begin in truth
 */

/**
 * @typedef {object} View
 * @property {string} docId
 * @property {string} stamp equal stamps are equal views
 * @property {number} height
 * @property {boolean} picking whether the viewer tells which text is selected
 * @property {Column[]} columns
 * @property {Turns | null} turns
 * @property {Uint32Array} differences
 * @property {{column: number, nonce: string, chunk: number | null, start: number, end: number} | null} focus
 * @property {{column: number, chunks: number[], nonce: string, label: string} | null} highlight
 */

/**
 * @param {Uint8Array} bytes
 * @returns {Blob}
 */
export function unpack(bytes) {
  // Typed arrays must begin at a multiple of their item size; a slice of a bigger message need not.
  const data = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  if (data.byteLength < 8) throw new Error("The viewer got an empty message.");
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const length = view.getUint32(0, true);
  if (4 + length > data.byteLength) throw new Error("The viewer got a message that is cut off in its header.");
  const header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data.subarray(4, 4 + length)));
  if (header.version !== VERSION) {
    throw new Error(`The viewer speaks version ${VERSION}, the message version ${header.version}. Reload the page.`);
  }
  const arrays = new Map();
  for (const [name, kind, offset, count] of header.arrays) {
    const size = SIZES[/** @type {"u8" | "u32" | "f64"} */ (kind)];
    const at = 4 + length + offset;
    if (at + count * size > data.byteLength) throw new Error(`The viewer got a message that is cut off in ${name}.`);
    const start = data.byteOffset + at;
    arrays.set(name, new MAKERS[/** @type {"u8" | "u32" | "f64"} */ (kind)](data.buffer, start, count));
  }
  return { header, arrays };
}

/**
 * @param {Blob} blob
 * @param {string} name
 * @returns {any}
 */
function items(blob, name) {
  const found = blob.arrays.get(name);
  if (!found) throw new Error(`The viewer misses ${name} in a message.`);
  return found;
}

/**
 * @param {Blob} blob
 * @returns {Doc}
 */
export function readDocument(blob) {
  // ignoreBOM: a U+FEFF at the start is a character of the document, and every offset counts it.
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(items(blob, "text"));
  const { docId, name, units, pages } = blob.header;
  if (text.length !== units) throw new Error(`The viewer got ${text.length} characters of text instead of ${units}.`);
  const rowStarts = items(blob, "row.start");
  const rowKinds = items(blob, "row.kind");
  if (rowStarts.length !== rowKinds.length) throw new Error("The viewer got rows without kinds.");
  return { id: docId, name, text, rowStarts, rowKinds, pageStarts: items(blob, "page.start"), pages };
}

/**
 * @param {Blob} blob
 * @returns {View}
 */
export function readView(blob) {
  const { docId, stamp, height, columns, focus, highlight } = blob.header;
  return {
    docId,
    stamp,
    height,
    picking: blob.header.picking === true,
    focus,
    highlight,
    turns: blob.header.turns ? readTurns(blob, blob.header.turns) : null,
    differences: items(blob, "differences"),
    columns: columns.map((/** @type {any} */ head, /** @type {number} */ at) => readColumn(blob, head, `${at}.`)),
  };
}

/**
 * @param {Blob} blob
 * @param {any} head
 * @returns {Turns}
 */
function readTurns(blob, head) {
  const of = (/** @type {string} */ name) => items(blob, `turns.${name}`);
  const turns = {
    ...head,
    starts: of("start"),
    ends: of("end"),
    sentence: of("sentence"),
    path: of("path"),
    pageFirst: of("page.first"),
    pageLast: of("page.last"),
    own: of("own"),
    head: of("head"),
    tail: of("tail"),
    values: of("values"),
    drops: of("drops"),
    depths: of("depths"),
    sections: of("sections"),
    reference: of("reference"),
  };
  const n = turns.starts.length;
  for (const name of ["ends", "sentence", "path", "pageFirst", "pageLast", "own", "head", "tail"]) {
    if (turns[name].length !== n) throw new Error(`The viewer got ${name} for another number of sentences.`);
  }
  for (const name of ["values", "drops", "depths", "sections"]) {
    if (turns[name].length !== Math.max(0, n - 1)) throw new Error(`The viewer got ${name} for another number of gaps.`);
  }
  return turns;
}

/**
 * @param {Blob} blob
 * @param {any} head
 * @param {string} prefix
 * @returns {Column}
 */
function readColumn(blob, head, prefix) {
  const starts = items(blob, `${prefix}start`);
  /** @type {Map<number, {name: string, reason: string}[]>} */
  const flags = new Map();
  for (const [chunk, name, reason] of head.flags) flags.set(chunk, [...(flags.get(chunk) ?? []), { name, reason }]);
  const oversize = Array.from(flags.keys()).filter((chunk) => flags.get(chunk)?.some((flag) => flag.name === "oversize"));
  const column = {
    ...head,
    count: starts.length,
    starts,
    ends: items(blob, `${prefix}end`),
    tokens: items(blob, `${prefix}tokens`),
    reason: items(blob, `${prefix}reason`),
    path: items(blob, `${prefix}path`),
    context: items(blob, `${prefix}context`),
    pageFirst: items(blob, `${prefix}page.first`),
    pageLast: items(blob, `${prefix}page.last`),
    flags,
    oversize,
    dropped: {
      starts: items(blob, `${prefix}dropped.start`),
      ends: items(blob, `${prefix}dropped.end`),
      reasons: head.dropped,
    },
    marks: head.marks.map((/** @type {string} */ title, /** @type {number} */ i) => ({
      title,
      starts: items(blob, `${prefix}mark${i}.start`),
      ends: items(blob, `${prefix}mark${i}.end`),
    })),
  };
  for (const name of ["ends", "tokens", "reason", "path", "context", "pageFirst", "pageLast"]) {
    if (column[name].length !== column.count) throw new Error(`The viewer got ${name} for another number of chunks.`);
  }
  return column;
}
