import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { EventState, Finished, Match } from "../../protocol";
import { currentSeries, winsNeeded } from "./series";

function event(winners: readonly (1 | 2 | null)[], best_of: number | null, playing = 0): EventState {
  const finished: Finished[] = winners.map((winner, index) => ({ number: index + 1, winner, turns: 9, end_reason: null }));
  const match = playing ? ({ number: playing } as Match) : null;
  return { finished, best_of, match } as Partial<EventState> as EventState;
}

const seriesScore = (winners: readonly (1 | 2 | null)[], best_of: number | null, playing = 0) => {
  const { won, winner } = currentSeries(event(winners, best_of, playing));
  return [...won, winner];
};

test("a team wins the series with more than half of the matches, and draws don't count", () => {
  assert.deepEqual(seriesScore([], 3), [0, 0, null]);
  assert.deepEqual(seriesScore([1, null, 2], 3), [1, 1, null]);
  assert.deepEqual(seriesScore([1, null, 2, 1], 3), [2, 1, 1]);
  assert.deepEqual(seriesScore([2, 2], 4), [0, 2, null]);
  assert.deepEqual(seriesScore([2, 2, 2], 4), [0, 3, 2]);
  assert.deepEqual(seriesScore([1], 1), [1, 0, 1]);
});

test("the match after a decided series starts a new series", () => {
  assert.deepEqual(seriesScore([1, 1, 2], 3), [0, 1, null]);
  assert.deepEqual(seriesScore([1, 1, null], 3), [0, 0, null]);
  assert.deepEqual(seriesScore([1, 1], 3, 2), [2, 0, 1]); // the last match is still shown
  assert.deepEqual(seriesScore([1, 1], 3, 3), [0, 0, null]);
  assert.deepEqual(seriesScore([1, 2], 3, 3), [1, 1, null]);
});

test("a series without a length is never decided", () => {
  assert.deepEqual(seriesScore([1, 1, 1, 1, 2], null), [4, 1, null]);
  assert.equal(winsNeeded(event([], null)), null);
  assert.deepEqual([1, 3, 4, 5].map((best_of) => winsNeeded(event([], best_of))), [1, 2, 3, 3]);
});

test("a series is decided by exactly the needed number of wins", () => {
  const winners = fc.array(fc.constantFrom(1 as const, 2 as const, null), { maxLength: 30 });
  fc.assert(
    fc.property(winners, fc.integer({ min: 1, max: 21 }), (all, best_of) => {
      const series = currentSeries(event(all, best_of));
      const most = Math.max(...series.won);
      const needed = winsNeeded(event(all, best_of))!;
      assert.equal(series.decided, most === needed);
      assert.ok(most <= needed);
      assert.equal(series.winner, series.decided ? series.won.indexOf(needed) + 1 : null);
    }),
  );
});
