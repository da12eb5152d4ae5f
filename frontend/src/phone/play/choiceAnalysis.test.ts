import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import type { Analysis } from "../../protocol";
import { bestJudge, choiceAnalysis, oneOfFew, streak } from "./choiceAnalysis";
import type { PhoneView } from "../seat/phoneView";
import { storeToken } from "../seat/storage";

const NOW = 1_000_000;
const TURN = 10;
const ANALYSIS: Analysis = {
  turn: TURN, before: 0.5, after: 0.6, margin: 0, verdicts: [], match: null,
  red_classes: ["best", "good", null], yellow_classes: ["blunder", "best", null], red_mix: [31, 0, 0], yellow_mix: [0, 100, 0],
};

/** A phone of red whose voter chose `choice`, this long after the result. */
function view(choice: number | null, { analysis = ANALYSIS, afterMs = 5000, turn = TURN, method = "plurality", phase = "reveal", counts = [12, 68, 20], hidden = [] as string[], agreed = {}, more = {} } = {}): PhoneView {
  const steps = { pour: 400, picks: 1600, hold: null, drops: 2400, second: null, lines: 4000, verdict: null, token: null, replay: null, over: 6000 };
  const match = { analysis, tally_method: method, reveal: { turn: TURN, number: 4, resolved_at: NOW - afterMs, steps, red: { counts, ballots: 100, pick: 2 } }, ...more };
  return { event: { code: "ROOK", hidden }, match, record: { match: 1, turn, choice, agreed }, side: "red", now: NOW, phase } as unknown as PhoneView;
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

test("it says how few voters saw the best column", () => {
  assert.equal(oneOfFew(view(1)), "You are one of 12 who saw column 1.");
  assert.equal(oneOfFew(view(1, { counts: [20, 60, 20] })), "You are one of 20 who saw column 1.");
});

test("it says so only of few, who can't be singled out, and only if votes are shown", () => {
  const silent = [
    view(1, { counts: [21, 59, 20] }), view(1, { counts: [1, 79, 20] }), view(2), view(null), view(1, { turn: TURN - 1 }), view(1, { counts: [] }),
    view(1, { hidden: ["tally"] }), view(1, { hidden: ["recognition"] }), view(1, { method: "score" }), view(1, { phase: "voting" }), view(1, { more: { max_side_changes: 1 } }),
  ];
  assert.deepEqual(silent.map(oneOfFew), silent.map(() => ""));
});

test("only the three best judges learn from their phones that they are", () => {
  const judges = ["a1", "b2", "c3"].map((voter) => ({ hash: createHash("sha256").update(`crowdgame judge:${TURN}:${voter}`).digest("hex"), name: "" }));
  const analysis: Analysis = { ...ANALYSIS, match: { turning: null, mistake: null, missed: null, judges } };
  const text = (voter: string, shown: Analysis) => {
    storeToken("ROOK", `7.${voter}.1:signature`);
    return bestJudge(view(1, { analysis: shown, phase: "ended" }));
  };
  assert.equal(text("b2", analysis), "You are one of the three best judges.");
  assert.deepEqual([text("d4", analysis), text("b2", ANALYSIS), text("b2", { ...analysis, turn: TURN + 1 })], ["", "", ""]);
});

test("it counts the turns in a row in which the voter and the team agreed", () => {
  assert.equal(streak(view(2, { agreed: { 1: false, 2: true, 3: true, 4: true } })), "3 turns in a row with your team");
  assert.equal(streak(view(2, { agreed: { 1: true, 2: true, 3: true, 4: true }, phase: "waiting", afterMs: 9000 })), "4 turns in a row with your team");
});

test("a streak ends with a turn without the voter, and is neither shown early nor against the settings", () => {
  const agreed = { 2: true, 3: true, 4: true };
  const silent = [
    view(2, { agreed: { 1: true, 2: true, 4: true } }), view(2, { agreed: { ...agreed, 4: false } }), view(2, { agreed: { 1: true, 2: true, 3: true } }),
    view(2, { agreed, afterMs: 3000 }), view(2, { agreed, phase: "voting" }), view(2, { agreed, hidden: ["recognition"] }),
    view(2, { agreed, more: { max_side_changes: 1 } }), view(2, { agreed, more: { clocks: { crowd: false } } }),
  ];
  assert.deepEqual(silent.map(streak), silent.map(() => ""));
});
