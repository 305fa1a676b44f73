import assert from "node:assert/strict";
import { test } from "node:test";
import { Documents } from "../../chunkviz/ui/component/documents.js";

const doc = (id) => /** @type {any} */ ({ id });

test("the latest four are kept, and one that comes again is late again", () => {
  const documents = new Documents();
  for (const id of ["a", "b", "c", "d"]) documents.add(doc(id));
  documents.add(doc("a"));
  documents.add(doc("e"));
  assert.deepEqual(["a", "b", "c", "d", "e"].map((id) => documents.has(id)), [true, false, true, true, true]);
  assert.equal(documents.get("e")?.id, "e");
  assert.equal(documents.get("b"), undefined);
});

test("who waits is told of every document until it leaves, also while it is being told", () => {
  const documents = new Documents();
  const told = [];
  const patient = { retry: () => told.push("patient") };
  const once = {
    retry() {
      told.push("once");
      documents.leave(once);
    },
  };
  documents.wait(once);
  documents.wait(patient);
  documents.wait(patient); // twice is once
  documents.add(doc("a"));
  documents.add(doc("b"));
  assert.deepEqual(told, ["once", "patient", "patient"]);
});

test("who waits finds the document that it is told of", () => {
  const documents = new Documents();
  let found;
  documents.wait({ retry: () => (found = documents.get("a")) });
  documents.add(doc("a"));
  assert.equal(found?.id, "a");
});
