import assert from "node:assert/strict";
import { test } from "node:test";
import type { Match, TurnoutCounted } from "../../protocol";
import { timeBankLeft } from "./timeBank";

const TURN = { id: 7, opens_at: 1000, paused: false, to_move: ["red", "yellow"] };
const CLOCKS = { bank_s: 60, increment_s: 0, cap_s: null, red_ms: 60_000, yellow_ms: 30_000 };
const MATCH = { clocks: CLOCKS, turn: TURN } as unknown as Match;
const turnout = (turn: number, red: number, yellow: number) => ({ turn, picked_at: [red, yellow] }) as unknown as TurnoutCounted;

test("both clocks run from the opening and stop at zero", () => {
  assert.equal(timeBankLeft(MATCH, "red", null, 0, 500), 60_000);
  assert.equal(timeBankLeft(MATCH, "red", null, 0, 11_000), 50_000);
  assert.equal(timeBankLeft(MATCH, "yellow", turnout(7, 0, 0), 1, 99_000), 0);
});

test("the clock stops for the side that has picked and runs for the other", () => {
  assert.equal(timeBankLeft(MATCH, "red", turnout(7, 5000, 0), 0, 21_000), 56_000);
  assert.equal(timeBankLeft(MATCH, "yellow", turnout(7, 5000, 0), 1, 21_000), 10_000);
});

test("turnout of another turn is ignored", () => {
  assert.equal(timeBankLeft(MATCH, "red", turnout(6, 5000, 0), 0, 11_000), 50_000);
});

test("no clock runs without time banks, for a side not to move, or after the end", () => {
  assert.equal(timeBankLeft({ ...MATCH, clocks: null } as Match, "red", null, 0, 11_000), null);
  const waiting = { ...MATCH, turn: { ...TURN, to_move: ["red"] } } as unknown as Match;
  assert.equal(timeBankLeft(waiting, "yellow", null, 1, 11_000), 30_000);
  assert.equal(timeBankLeft({ ...MATCH, turn: null } as Match, "red", null, 0, 11_000), 60_000);
});
