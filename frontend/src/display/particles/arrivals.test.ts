import assert from "node:assert/strict";
import test from "node:test";
import { Arrivals } from "./arrivals";

const TURN = 7;

test("votes found at first sight of a turn do not rise", () => {
  const arrivals = new Arrivals();
  arrivals.count(TURN, 500, 10);
  assert.deepEqual(arrivals.rising(10), []);
});

test("the votes of each update rise for two seconds", () => {
  const arrivals = new Arrivals();
  arrivals.count(TURN, 0, 10);
  arrivals.count(TURN, 40, 11);
  arrivals.count(TURN, 40, 11.5);
  arrivals.count(TURN, 55, 12);
  assert.deepEqual(arrivals.rising(12), [
    { from: 0, to: 40, age: 1 },
    { from: 40, to: 55, age: 0 },
  ]);
  assert.deepEqual(arrivals.rising(14), []);
});

test("nothing rises after votes were withdrawn or the turn has changed", () => {
  const arrivals = new Arrivals();
  arrivals.count(TURN, 0, 10);
  arrivals.count(TURN, 40, 11);
  arrivals.count(TURN, 39, 11);
  assert.deepEqual(arrivals.rising(11), []);
  arrivals.count(TURN, 60, 11);
  arrivals.count(TURN + 1, 0, 11);
  assert.deepEqual(arrivals.rising(11), []);
});
