import assert from "node:assert/strict";
import test from "node:test";
import type { Match, Turn } from "../../protocol";
import { NOW, makeEvent, makeMatch, makeTurn } from "../fixtures";
import { changeNotice } from "./changeNotices";

function notice(before: Partial<Turn>, after: Partial<Turn>, part: Partial<Match> = {}): string | undefined {
  const [then, state] = [before, after].map((turn) => makeEvent({ match: makeMatch({ turn: makeTurn(turn), ...part }) }));
  return changeNotice({ type: "turn.moved", seq: 2, at: NOW, state: state! }, then!)?.text;
}

test("added and removed time is announced, also during a pause", () => {
  assert.equal(notice({}, { closes_at: NOW + 30_000 }), "10 more seconds");
  assert.equal(notice({}, { closes_at: NOW + 19_000 }), "One second less");
  assert.equal(notice({ paused: true, left_ms: 8000 }, { paused: true, left_ms: 18_000 }), "10 more seconds");
});

test("a window that is closed early is announced, also after a pause, but not if the event closes it", () => {
  const closed = { opens_at: NOW - 5, closes_at: NOW - 5 };
  assert.equal(notice({}, closed), "The vote closed early");
  assert.equal(notice({ ...closed, paused: true, left_ms: 8000 }, closed), "The vote closed early");
  assert.equal(notice({}, closed, { close_early: true }), undefined);
});

test("a window that only moves, or ends by the sides' clocks, is not announced", () => {
  assert.equal(notice({ opens_at: NOW + 171_000, closes_at: NOW + 191_000 }, { opens_at: NOW + 1000, closes_at: NOW + 21_000 }), undefined);
  assert.equal(notice({ closes_at: NOW + 31_000 }, { closes_at: NOW + 48_000 }, { clocks: {} as Match["clocks"] }), undefined);
});
