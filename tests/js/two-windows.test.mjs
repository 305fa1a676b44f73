/** Two windows that follow each other end at the same step, whatever order the news arrives in. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Follower } from "../../chunkviz/ui/component/two-windows.js";
import { random } from "./support.mjs";

test("a turn is told once, and not told back", () => {
  const stage = new Follower(1);
  const notes = new Follower(1);
  assert.equal(stage.shown(2), true);
  assert.equal(notes.asked(2), true);
  assert.equal(notes.shown(2), false);
  assert.equal(notes.shown(2), false);
  assert.equal(stage.asked(2), false);
});

test("a window that was turned twice is followed to the last step, and does not pull back", () => {
  const notes = new Follower(3);
  assert.equal(notes.asked(4), true);
  assert.equal(notes.asked(5), true);
  assert.equal(notes.shown(4), false);
  assert.equal(notes.shown(5), false);
  assert.equal(notes.shown(6), true);
});

test("after every message has arrived both windows are at one step", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const pick = random(seed);
    const windows = [new Follower(1), new Follower(1)];
    /** Turns that a window still has to make, and news on the way to it. */
    const turns = [[], []];
    const news = [[], []];
    const act = (at) => {
      if (turns[at].length && (pick(2) || !news[at].length)) {
        const step = turns[at].shift();
        if (windows[at].shown(step)) news[1 - at].push(step);
      } else if (news[at].length) {
        const step = news[at].shift();
        if (windows[at].asked(step)) turns[at].push(step);
      }
    };
    for (let n = 0; n < 30; n += 1) {
      // One of them is turned, now and then, when both have come to rest.
      if (turns.every((t) => !t.length) && news.every((t) => !t.length)) turns[pick(2)].push(1 + pick(8));
      else act(pick(2));
    }
    while (turns.some((t) => t.length) || news.some((t) => t.length)) act(pick(2));
    assert.equal(windows[0].step, windows[1].step, `seed ${seed}`);
  }
});
