/** What the browser cuts while a slider moves is what Python cuts, or nothing. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { unpack } from "../../chunkviz/ui/component/codec.js";
import { readResizing, resized, widen } from "../../chunkviz/ui/component/resizing.js";
import { bytesOf, random } from "./support.mjs";

const vectors = JSON.parse(readFileSync(new URL("../vectors/resizing.json", import.meta.url), "utf-8"));

/** Every cut of every case, with what the browser makes of it. */
const made = vectors.flatMap(({ blob, cuts, ...about }) => {
  const data = readResizing(unpack(bytesOf(blob)));
  return cuts.map((cut) => ({ ...about, ...cut, spans: resized(data, about.text, cut) }));
});

test("there is something to compare", () => {
  for (const strategy of ["fixed", "recursive"]) {
    for (const unit of ["cl100k_base", "characters", "words"]) {
      const own = made.filter((cut) => cut.strategy === strategy && cut.unit === unit);
      assert.ok(own.length > 100, `${strategy} in ${unit}: ${own.length}`);
      assert.ok(own.some((cut) => cut.spans?.starts.length > 20));
    }
  }
});

test("the spans are Python's, or there are none", () => {
  for (const { spans, starts, ends, ...cut } of made) {
    if (!spans) continue;
    const where = JSON.stringify({ ...cut, tokens: undefined });
    assert.deepEqual(Array.from(spans.starts), starts, where);
    assert.deepEqual(Array.from(spans.ends), ends, where);
    assert.equal(spans.tokens.length, starts.length);
  }
});

test("the liar: one border or one count that is off would be found", () => {
  const plain = vectors.find(({ name, strategy }) => name === "plain prose" && strategy === "recursive");
  const [cut] = plain.cuts.filter(({ size }) => size === 33);
  const liars = [
    (data) => data.positions.forEach((at, i) => (data.positions[i] = at + (i > 3 ? 3 : 0))),
    (data) => data.numbers.own.fill(9),
    (data) => data.numbers.level.fill(0),
    (data) => data.numbers.tail.fill(1),
  ];
  for (const lie of liars) {
    const data = readResizing(unpack(bytesOf(plain.blob)));
    lie(data);
    assert.notDeepEqual(Array.from(resized(data, plain.text, cut)?.starts ?? []), cut.starts, String(lie));
  }
});

test("plain text is always followed, down to sizes that cut words", () => {
  const plain = (cut) => cut.strategy === "fixed" || (cut.name.startsWith("plain") && cut.size >= (cut.name === "plain sample" ? 200 : 20));
  const unsure = made.filter((cut) => !cut.spans && plain(cut));
  assert.deepEqual(unsure.map(({ name, unit, size }) => `${name} ${unit} ${size}`), []);
});

test("numbers come back as they were, and a cut-off message is refused", () => {
  const pick = random(3);
  for (let round = 0; round < 200; round++) {
    const values = Array.from({ length: pick(30) }, () => pick(round % 3 ? 300 : 100_000));
    const bytes = narrow(values);
    assert.deepEqual(Array.from(widen(bytes, values.length)), values);
    if (values.length) assert.throws(() => widen(bytes.subarray(0, bytes.length - 1), values.length));
    assert.throws(() => widen(bytes, values.length + 1));
  }
});

/** `chunkviz.resizing.narrow`, the plain way. */
function narrow(values) {
  const bytes = [];
  let before = 0;
  for (const value of values) {
    let left = value < before ? 2 * (before - value) - 1 : 2 * (value - before);
    before = value;
    for (; left >= 255; left -= 255) bytes.push(255);
    bytes.push(left);
  }
  return Uint8Array.from(bytes);
}
