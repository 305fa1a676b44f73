import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument, readView, unpack, VERSION } from "../../chunkviz/ui/component/codec.js";
import { bytesOf, vectors } from "./support.mjs";

for (const vector of vectors) {
  test(`${vector.name}: the document arrives as Python sent it`, () => {
    const doc = readDocument(unpack(bytesOf(vector.document)));
    assert.equal(doc.text, vector.text);
    assert.equal(doc.name, vector.name);
    assert.deepEqual(Array.from(doc.rowStarts), vector.rowStarts);
    assert.deepEqual(Array.from(doc.rowKinds), vector.rowKinds);
    assert.equal(doc.text.length, vector.utf16.at(-1));
  });

  test(`${vector.name}: a blob that is cut off is refused, wherever it is cut`, () => {
    for (const [blob, read] of [[vector.document, readDocument], [vector.view, readView]]) {
      const whole = bytesOf(blob);
      // What is missing in the padding behind the last array is not missed.
      const { header } = unpack(whole);
      const [, kind, offset, count] = header.arrays.reduce((a, b) => (b[2] >= a[2] ? b : a));
      const head = 4 + new DataView(whole.buffer).getUint32(0, true);
      const needed = head + offset + count * (kind === "u8" ? 1 : 4);
      for (let length = 0; length < needed; length++) {
        assert.throws(() => read(unpack(whole.slice(0, length))), `at ${length} of ${needed}`);
      }
      read(unpack(whole.slice(0, needed)));
    }
  });
}

test("a blob may stand anywhere in a bigger message", () => {
  const whole = bytesOf(vectors[0].view);
  for (let shift = 0; shift < 8; shift++) {
    const message = new Uint8Array(whole.length + shift);
    message.set(whole, shift);
    assert.deepEqual(readView(unpack(message.subarray(shift))), readView(unpack(whole)));
  }
});

test("another version is refused in words", () => {
  const blob = bytesOf(vectors[0].view);
  const at = Buffer.from(blob).indexOf(`"version":${VERSION}`);
  blob[at + '"version":'.length] = "9".charCodeAt(0);
  assert.throws(() => unpack(blob), /version 9\. Reload the page/);
});

test("columns carry what the card and the toolbar show", () => {
  const view = readView(unpack(bytesOf(vectors.find((v) => v.name === "styled.md").view)));
  assert.deepEqual(view.columns.map((c) => c.count), [2, 2]);
  assert.deepEqual(view.columns[0].dropped.reasons, ["a heading alone"]);
  assert.deepEqual(view.columns[1].oversize, [1]);
  assert.deepEqual(view.columns[1].flags.get(1), [{ name: "oversize", reason: "a block of code" }]);
  assert.deepEqual(view.columns[0].paths[view.columns[0].path[1]], ["A"]);
  assert.equal(view.columns[0].contexts[view.columns[0].context[1]], "Above");
  assert.deepEqual([view.columns[1].pageFirst[1], view.columns[1].pageLast[1]], [2, 2]);
  assert.deepEqual(view.columns[0].marks.map((m) => [m.title, Array.from(m.starts)]), [["Words cut", [5, 27]]]);
  assert.equal(view.focus?.column, 1);
  assert.deepEqual(view.highlight?.chunks, [0]);
});
