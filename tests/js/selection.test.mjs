import assert from "node:assert/strict";
import { test } from "node:test";
import { textBefore } from "../../chunkviz/ui/component/selection.js";
import { element, text } from "./support.mjs";

test("a boundary in a text node counts the units before it in the row", () => {
  const [first, second, third] = [text("ab"), text("🙂d"), text("ef")];
  const row = element(element(first), second, element(third));
  assert.equal(textBefore(row, first, 1), 1);
  assert.equal(textBefore(row, second, 2), 4); // the emoji is two units
  assert.equal(textBefore(row, third, 0), 5);
  assert.equal(textBefore(row, third, 2), 7);
});

test("a boundary in an element counts children", () => {
  const piece = element(text("abc"));
  const row = element(text("xy"), piece, text("z"));
  assert.equal(textBefore(row, row, 0), 0);
  assert.equal(textBefore(row, row, 2), 5);
  assert.equal(textBefore(row, row, 3), 6);
  assert.equal(textBefore(row, piece, 0), 2);
  assert.equal(textBefore(row, piece, 1), 5);
});

test("every boundary of a random row is where its text is", () => {
  for (let seed = 1; seed < 60; seed++) {
    const parts = Array.from({ length: 1 + (seed % 5) }, (_, i) => text("x".repeat((seed * (i + 3)) % 7)));
    const row = element(...parts.map((part, i) => (i % 2 ? element(part) : part)));
    let before = 0;
    for (const part of parts) {
      for (let i = 0; i <= part.textContent.length; i++) assert.equal(textBefore(row, part, i), before + i);
      before += part.textContent.length;
    }
  }
});
