import assert from "node:assert/strict";
import test from "node:test";
import type { Analysis, Match } from "../../protocol";
import { makeEvent, makeMatch, makeReveal } from "../fixtures";
import { analysisText, chances, chanceText, lastAnalysis } from "./analysis";
import { fillTeamNames } from "./sentence";

const COLUMNS = { red_classes: [], yellow_classes: [], red_mix: [], yellow_mix: [] };
const ANALYSIS: Analysis = { turn: 6, before: 0.25, after: 0.6, red: "good", yellow: "blunder", ...COLUMNS };

function textOf(match: Match): string {
  const sentence = fillTeamNames({ state: makeEvent(), match }, analysisText(match));
  return sentence.map((part) => (typeof part === "string" ? part : part.name)).join("");
}

test("the analysis names the class of both choices, the left team first", () => {
  const shown = { reveal: makeReveal(), analysis: ANALYSIS };
  assert.equal(textOf(makeMatch(shown)), "North: Good · South: Blunder");
  assert.equal(textOf(makeMatch({ ...shown, red: 2, yellow: 1 })), "North: Blunder · South: Good");
  assert.equal(textOf(makeMatch({ ...shown, analysis: { ...ANALYSIS, red: null } })), "South: Blunder");
});

test("an analysis of another turn than the last is not shown", () => {
  assert.equal(lastAnalysis(makeMatch({ reveal: makeReveal({ turn: 7 }), analysis: ANALYSIS })), null);
  assert.equal(textOf(makeMatch({ reveal: makeReveal() })), "");
});

test("winning chances of both sides add up to one", () => {
  assert.deepEqual(chances(ANALYSIS, "red"), { before: 0.25, after: 0.6 });
  assert.deepEqual(chances(ANALYSIS, "yellow"), { before: 0.75, after: 0.4 });
  assert.deepEqual(chances({ ...ANALYSIS, after: null }, "red"), { before: 0.25, after: 0.25 });
  assert.equal(chanceText("North", 0.6), "Winning chance of North: 60%");
});
