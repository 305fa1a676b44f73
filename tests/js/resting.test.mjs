/** A key that is held down makes one message, after it was let go. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Resting } from "../../chunkviz/ui/component/resting.js";

test("many changes in a row are told once, and it is the last that is told", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const told = [];
  const resting = new Resting(300, (value) => told.push(value));
  for (let at = 0; at < 50; at++) {
    resting.change(at);
    mock.timers.tick(at % 2 ? 33 : 299); // a key repeats thirty times a second, or is pressed slowly
  }
  assert.deepEqual(told, []);
  mock.timers.tick(300);
  assert.deepEqual(told, [49]);
  mock.timers.tick(10_000);
  assert.deepEqual(told, [49]);
  resting.change(50);
  mock.timers.tick(301);
  assert.deepEqual(told, [49, 50]);
  mock.timers.reset();
});

test("what is dropped is never told", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const told = [];
  const resting = new Resting(300, (value) => told.push(value));
  resting.change(1);
  resting.drop();
  mock.timers.tick(1000);
  assert.deepEqual(told, []);
  mock.timers.reset();
});
