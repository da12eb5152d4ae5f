import assert from "node:assert/strict";
import test from "node:test";
import type { Analysis } from "../../protocol";
import { choiceAnalysis } from "./choiceAnalysis";
import type { PhoneView } from "../seat/phoneView";

const NOW = 1_000_000;
const TURN = 10;
const ANALYSIS: Analysis = {
  turn: TURN, before: 0.5, after: 0.6, verdicts: [], match: null,
  red_classes: ["best", "good", null], yellow_classes: ["blunder", "best", null], red_mix: [31, 0, 0], yellow_mix: [0, 100, 0],
};

/** A phone of red whose voter chose `choice`, this long after the result. */
function view(choice: number | null, { analysis = ANALYSIS, afterMs = 5000, turn = TURN, method = "plurality", phase = "reveal" } = {}): PhoneView {
  const steps = { pour: 400, picks: 1600, hold: null, drops: 2400, second: null, lines: 4000, verdict: null, token: null, replay: null, over: 6000 };
  const match = { analysis, tally_method: method, reveal: { turn: TURN, resolved_at: NOW - afterMs, steps } };
  return { match, record: { match: 1, turn, choice, agreed: {} }, side: "red", now: NOW, phase } as unknown as PhoneView;
}

test("the phone says how good the voter's column was", () => {
  assert.equal(choiceAnalysis(view(1)), "Your column: one of the best, 31% of a perfect mix");
  assert.equal(choiceAnalysis(view(2)), "Your column: a good choice");
  assert.match(choiceAnalysis(view(1, { phase: "waiting", afterMs: 9000 })), /31%/);
});

test("it says nothing before the balls have landed, nor in the next vote", () => {
  assert.equal(choiceAnalysis(view(1, { afterMs: 3000 })), "");
  assert.equal(choiceAnalysis(view(1, { phase: "voting", afterMs: 9000 })), "");
});

test("it says nothing without a vote for one column in that turn", () => {
  assert.equal(choiceAnalysis(view(null)), "");
  assert.equal(choiceAnalysis(view(1, { turn: TURN - 1 })), "");
  assert.equal(choiceAnalysis(view(0b011, { method: "approval" })), "");
  assert.equal(choiceAnalysis(view(1, { analysis: { ...ANALYSIS, turn: TURN - 1 } })), "");
});
