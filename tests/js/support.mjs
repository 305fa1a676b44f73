/** Shared by the tests: the vectors that Python made, and random numbers that are the same on every run. */

import { readFileSync } from "node:fs";

export const vectors = JSON.parse(readFileSync(new URL("../vectors/viewer.json", import.meta.url), "utf-8"));

/** @param {string} base64 */
export const bytesOf = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

/**
 * A generator of numbers in [0, below), the same for the same seed.
 * @param {number} seed
 */
export function random(seed) {
  let state = seed * 2654435761 + 1;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Chunks of a text of `length` units: in order, sometimes overlapping, sometimes with text between them.
 *
 * @param {(below: number) => number} pick
 * @param {number} length
 */
export function randomSpans(pick, length) {
  const starts = [];
  const ends = [];
  const dropped = { starts: /** @type {number[]} */ ([]), ends: /** @type {number[]} */ ([]) };
  let start = pick(4);
  while (start < length) {
    const end = Math.min(length, Math.max(start + 1 + pick(9), ends.at(-1) ?? 0));
    starts.push(start);
    ends.push(end);
    const next = Math.max(start + (pick(5) ? 1 : 0), end + pick(9) - 5);
    if (next > end + 1 && pick(2)) {
      dropped.starts.push(end + 1);
      dropped.ends.push(next);
    }
    start = next;
  }
  return { starts, ends, dropped };
}

/**
 * A column as Python sends it, of chunks of 7 tokens each.
 *
 * @param {{starts: number[], ends: number[]}} spans
 * @param {Record<string, unknown>} [more]
 */
export function column({ starts, ends }, more = {}) {
  const zeros = new Uint32Array(starts.length);
  return /** @type {any} */ ({
    strategy: "fixed", title: "Fixed", subtitle: "", word: "tokens", limit: null, notes: [], count: starts.length,
    starts, ends, tokens: zeros.map(() => 7), reasons: ["size reached"], reason: zeros, paths: [[]], path: zeros,
    contexts: [""], context: zeros, pageFirst: zeros, pageLast: zeros, marks: [], flags: new Map(), oversize: [],
    ...more,
  });
}

/** A text node, as far as is looked at one. */
export const text = (/** @type {string} */ data) => ({ nodeType: 3, textContent: data, childNodes: [] });

/** An element with these children, as far as is looked at one. */
export function element(/** @type {any[]} */ ...children) {
  const made = {
    nodeType: 1,
    childNodes: children,
    firstChild: children[0] ?? null,
    textContent: children.map((c) => c.textContent).join(""),
  };
  children.forEach((child, i) => Object.assign(child, { parentNode: made, previousSibling: children[i - 1] ?? null }));
  return made;
}

/**
 * Run something that makes elements; all that can be asked of these is their text.
 * @param {() => void} act
 */
export function withElements(act) {
  const createElement = () => ({
    textContent: "",
    append(/** @type {any[]} */ ...parts) {
      for (const part of parts) this.textContent += part.textContent ?? part;
    },
  });
  Object.assign(globalThis, { document: { createElement } });
  try {
    act();
  } finally {
    Reflect.deleteProperty(globalThis, "document");
  }
}
