import assert from "node:assert/strict";
import test from "node:test";
import { played, seriesNow, seriesOf } from "./series";
import { eventOf, matchOf } from "./staging";

test("whoever wins more than half of the matches wins the series", () => {
  assert.deepEqual(seriesOf([1, 2, 1], 5), { won: [2, 1], drawn: 0, winner: null, needed: 3 });
  assert.deepEqual(seriesOf([1, 2, null, 1, 1], 5), { won: [3, 1], drawn: 1, winner: 1, needed: 3 });
  assert.equal(seriesOf([2], 1).winner, 2);
});

test("after a decided series the next match begins another", () => {
  assert.deepEqual(seriesOf([1, 1, 2], 3), { won: [0, 1], drawn: 0, winner: null, needed: 2 });
});

test("without a series it goes on for ever", () => {
  assert.deepEqual(seriesOf([1, 1, 1, null], null), { won: [3, 0], drawn: 1, winner: null, needed: null });
});

test("the match that has just ended counts once", () => {
  const finished = [{ number: 2, winner: 1, turns: 9 }, { number: 1, winner: 2, turns: 9 }];
  const match = matchOf({ number: 3, state: "ended", result: "yellow", red: 2, yellow: 1 });
  const state = eventOf({ finished, match, best_of: 3 });
  assert.deepEqual(played(state), [[1, 2], [2, 1], [3, 1]]);
  assert.equal(seriesNow(state).winner, 1);
  assert.deepEqual(played(eventOf({ finished: [...finished, { number: 3, winner: 1, turns: 9 }], match })), played(state));
});
