import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { makeTally } from "../../display/fixtures";
import type { BoxFigures, EventState, Match, Turn, TurnoutCounted } from "../../protocol";
import { agreement, withTurnout, withEvent, addSample, type HistoryState, type Sample } from "./eventHistory";

const NOTHING: HistoryState = { seq: 0, reveals: [], notes: [], here: [], turn: null, began: 0, voted: [], votedBefore: [], lateMs: null };
const TEAMS = [{ number: 1, name: "North" }, { number: 2, name: "South" }];
const EMPTY_RESOLUTION = { drops: [], conflict: null, token_before: "red", token_after: "red", lines: [], result: "open" };

function turn(number: number, part: Partial<Turn> = {}): Turn {
  return { id: 100 + number, number, opens_at: number * 1000, closes_at: number * 1000 + 500, epoch: 1, paused: false, ...part } as Turn;
}

function event(present: Turn | null, revealed: number, part: Partial<Match> = {}): EventState {
  const reveal = { turn: 100 + revealed, number: revealed, resolved_at: revealed * 1000 + 600, red: makeTally([3, 1], 1), yellow: makeTally([], null), resolution: EMPTY_RESOLUTION };
  const match = { number: 1, state: "playing", red: 1, yellow: 2, result: "open", turn: present, reveal: revealed ? reveal : null, ...part };
  return { teams: TEAMS, match, next_match_at: null } as unknown as EventState;
}

function turnout(id: number | null, voted: readonly [number, number]): TurnoutCounted {
  return { type: "turnout.counted", turn: id, connected: [10, 20], voted, picked_at: null, watching: 0, votes_per_s: 0, figures: {} as BoxFigures };
}

test("turnout is the share of connected voters who have voted since the window opened", () => {
  const open = withEvent(NOTHING, event(turn(1), 0), null);
  const early = { ...open, ...withTurnout(open, turnout(101, [0, 0]), 900) };
  const later = { ...early, ...withTurnout(early, turnout(101, [5, 20]), 1200) };
  assert.deepEqual(later.voted, [{ at: 1000, teams: [0, 0] }, { at: 1200, teams: [0.5, 1] }]);
  assert.deepEqual(later.here.map(({ teams }) => teams), [[10, 20], [10, 20]]);
  assert.deepEqual(withTurnout(later, turnout(100, [9, 9]), 1300).voted, undefined);
});

test("a paused window keeps its turnout, or restarts if nobody had voted", () => {
  const open = withEvent(NOTHING, event(turn(1), 0), null);
  const resumed = event(turn(1, { opens_at: 5000 }), 0);
  assert.equal(withEvent(open, resumed, null).began, 5000);
  const waited = { ...open, ...withTurnout(open, turnout(101, [0, 0]), 1100) };
  assert.deepEqual(withEvent(waited, resumed, null).voted, [{ at: 5000, teams: [0, 0] }]);
  const voted = { ...open, ...withTurnout(open, turnout(101, [1, 0]), 1200) };
  assert.equal(withEvent(voted, resumed, null).began, 1000);
  const { voted: nextVoted, votedBefore } = withEvent(voted, event(turn(2), 1), null);
  assert.deepEqual([nextVoted, votedBefore], [[], voted.voted]);
});

test("every revealed turn is kept once, and voided turns are removed", () => {
  const first = withEvent(NOTHING, event(turn(2), 1), event(turn(1), 0));
  const again = withEvent(first, event(turn(2), 1), event(turn(2), 1));
  const second = withEvent(again, event(turn(3), 2), event(turn(2), 1));
  assert.deepEqual(second.reveals.map(({ number, agreed }) => [number, ...agreed]), [[1, 0.75, null], [2, 0.75, null]]);
  assert.deepEqual(withEvent(second, event(turn(2), 1), event(turn(3), 2)).reveals.map(({ number }) => number), [1]);
  assert.deepEqual(withEvent(second, event(turn(1), 0, { number: 2 }), null).reveals.length, 2);
  assert.deepEqual(withEvent(second, event(null, 0, { state: "aborted" }), null).reveals.length, 2);
});

test("the lag of a turn is the time from its deadline to its result", () => {
  assert.equal(withEvent(NOTHING, event(turn(2), 1), event(turn(1), 0)).lateMs, 100);
  assert.equal(withEvent(NOTHING, event(turn(2), 1), null).lateMs, null);
  assert.equal(withEvent(NOTHING, event(turn(2), 1), event(turn(1, { paused: true }), 0)).lateMs, null);
  assert.equal(withEvent(NOTHING, event(turn(2), 1, { host_wait_s: 60 }), event(turn(1), 0)).lateMs, null);
});

test("agreement is null without votes", () => {
  assert.deepEqual([null, makeTally([], null), makeTally([0, 0], 2), makeTally([1, 4], 2)].map((one) => agreement({ tally_method: "plurality" }, one)), [null, null, null, 0.8]);
});

test("the history stays short, ordered, and exact at both ends for any event length", () => {
  const pauses = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 2000, size: "max" });
  fc.assert(
    fc.property(pauses, (gaps) => {
      let at = 0;
      let samples: readonly Sample[] = [];
      for (const [index, gap] of gaps.entries()) samples = addSample(samples, { at: (at += gap), teams: [index, 0] });
      assert.ok(samples.length <= 242);
      assert.equal(samples[0]?.teams[0], 0);
      assert.deepEqual(samples[samples.length - 1], { at, teams: [gaps.length - 1, 0] });
      const apart = samples.slice(1).map((sample, index) => sample.at - samples[index]!.at);
      assert.ok(apart.every((ms) => ms > 0) && apart.slice(0, -1).every((ms) => ms >= 1000));
    }),
    { numRuns: 50 },
  );
});
