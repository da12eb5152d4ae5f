import assert from "node:assert/strict";
import test from "node:test";
import { makeEvent } from "../../display/fixtures";
import { sourceLabel } from "./ballotSource";

const [team] = makeEvent().teams;

test("a team's source is named unless its name says the same", () => {
  const labels = ["Computer 2", "The computer", "Computer 3"].map((name) => sourceLabel({ ...team, name, source: "bot:2" }));
  assert.deepEqual(labels, ["", "Computer 2", "Computer 2"]);
  assert.equal(sourceLabel({ ...team, source: "hands" }), "by show of hands");
});
