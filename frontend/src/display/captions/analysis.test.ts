import assert from "node:assert/strict";
import test from "node:test";
import type { Analysis, Match, MatchAnalysis, Verdict } from "../../protocol";
import { chances, mistakeText, turningText } from "../../live/match/verdict";
import { makeEvent, makeMatch, makeResolution, makeReveal, makeTurn, NOW, stacked } from "../fixtures";
import { nextChange, sceneAt, sceneBoard } from "../scene/scene";
import { chanceText, judgedTurn, judgesText, judgmentText, lastAnalysis } from "./analysis";
import { plainText } from "./sentence";

const COLUMNS = { red_classes: [], yellow_classes: [], red_mix: [], yellow_mix: [] };
const GOOD: Verdict = { side: "red", column: 5, quality: "best", loss: 0, held: null, share: null };
const COSTLY: Verdict = { side: "yellow", column: 3, quality: "mistake", loss: 0.15, held: 4, share: 0.12 };
const ANALYSIS: Analysis = { turn: 6, before: 0.25, after: 0.6, margin: 0, verdicts: [COSTLY, GOOD], match: null, ...COLUMNS };

function textOf(verdicts: readonly Verdict[], before = 0.25): string {
  const match = makeMatch({ turn: null, state: "ended", result: "red", reveal: makeReveal(), analysis: { ...ANALYSIS, before, verdicts } });
  const state = makeEvent({ match });
  return plainText({ state, match }, judgmentText(sceneAt(state, NOW + 16_000)));
}

test("the sentence names the costliest choice, what would have held and who voted for it", () => {
  assert.equal(textOf([COSTLY, GOOD]), "South: 3, a mistake. 4 held; 12% voted for it");
  assert.equal(textOf([{ ...COSTLY, quality: "blunder" }, GOOD]), "South: 3, a blunder. 4 held; 12% voted for it");
  assert.equal(textOf([{ ...COSTLY, quality: "inaccuracy" }, GOOD]), "South: 3, inaccurate. 4 was better; 12% voted for it");
});

test("without counts the sentence says nothing about votes", () => {
  assert.equal(textOf([{ ...COSTLY, share: null }]), "South: 3, a mistake. 4 held");
  assert.equal(textOf([{ ...COSTLY, share: null, quality: "blunder" }]), "South: 3, a blunder. 4 held");
  assert.equal(textOf([{ ...COSTLY, share: null, quality: "inaccuracy" }]), "South: 3, inaccurate. 4 was better");
});

test("if no choice was costly, the sentence names both", () => {
  assert.equal(textOf([{ ...COSTLY, quality: "good", held: null }, GOOD]), "Both chose well: South 3, North 5");
  assert.equal(textOf([GOOD]), "North: 5, one of the best choices");
  assert.equal(textOf([{ ...GOOD, quality: "good" }]), "North: 5, a good choice");
});

test("an estimate names a class if it allows one, and otherwise what a costly choice cost", () => {
  const text = (verdict: Partial<Verdict>) => {
    const verdicts = [{ ...COSTLY, quality: null, held: null, ...verdict }, { ...GOOD, quality: null }];
    const match = makeMatch({ turn: null, state: "ended", result: "red", reveal: makeReveal(), analysis: { ...ANALYSIS, margin: 0.1, verdicts } });
    const state = makeEvent({ match });
    return plainText({ state, match }, judgmentText(sceneAt(state, NOW + 16_000)));
  };
  assert.equal(text({}), "Estimate: no clear mistake");
  assert.equal(text({ held: 4 }), "South: 3 cost about 15 percentage points, compared with 4");
  assert.equal(text({ loss: 0.4, quality: "blunder", held: 4 }), "South: 3, a blunder. 4 held; 12% voted for it");
});

test("a winner whose win was certain is not praised, nor is the loser blamed", () => {
  const both = [{ ...COSTLY, quality: "best", held: null }, GOOD] as const;
  assert.equal(textOf(both, 1), "North: 5. The win was certain");
  assert.equal(textOf(both, 0), "South: 3. The win was certain");
  assert.equal(textOf([COSTLY, GOOD], 0), "South: 3, a mistake. 4 held; 12% voted for it");
});

test("the recap of a double win names the columns of both teams", () => {
  const recap = (columns: readonly [number, number], conflict: number | null) => {
    const drops = [{ side: "red", column: columns[0], row: 4 }, { side: "yellow", column: columns[1], row: 4 }] as const;
    const reveal = makeReveal({ resolution: makeResolution({ drops, conflict, double_win: true, result: "red" }) });
    const match = makeMatch({ turn: null, state: "ended", result: "red", reveal, analysis: { ...ANALYSIS, verdicts: [GOOD] } });
    const state = makeEvent({ match });
    return plainText({ state, match }, judgmentText(sceneAt(state, NOW + 16_000)));
  };
  assert.equal(recap([1, 7], null), "North chose column 1, South column 7");
  assert.equal(recap([4, 4], 4), "Both chose column 4");
});

/** Whether the turn is judged at each of these seconds after its result. */
function judged(part: Partial<Match>, seconds: readonly number[]): boolean[] {
  const state = makeEvent({ match: makeMatch({ reveal: makeReveal(), analysis: ANALYSIS, ...part }) });
  return seconds.map((second) => judgedTurn(sceneAt(state, NOW + second * 1000)) !== null);
}

test("the last turn is judged after its reveal and in the time to talk, never during a vote", () => {
  const turn = makeTurn({ opens_at: NOW + 9000, closes_at: NOW + 29_000 });
  assert.deepEqual(judged({ turn }, [5, 6, 8.9, 9, 20, 29]), [false, true, true, false, false, false]);
  assert.deepEqual(judged({ turn: { ...turn, talk_ms: 3000 } }, [5.9, 6, 8.9, 9]), [false, true, true, false]);
  assert.deepEqual(judged({ turn: { ...turn, paused: true } }, [6, 10]), [false, false]);
  assert.deepEqual(judged({ turn: null, state: "ended", result: "red" }, [6, 15.9, 16, 60]), [false, false, true, true]);
});

test("an analysis of another turn than the last is not shown", () => {
  assert.equal(lastAnalysis(makeMatch({ reveal: makeReveal({ turn: 7 }), analysis: ANALYSIS })), null);
  assert.deepEqual(judged({ turn: null, state: "ended", result: "red", analysis: { ...ANALYSIS, turn: 5 } }, [60]), [false]);
});

const MISTAKE = { number: 4, verdict: COSTLY, board: stacked(["R", "Y", "", "", "", "", ""]), before: 0.5, after: 0.9, margin: 0 };

const JUDGES = [{ name: "Heron", hash: "" }];
const LAST_TURN = { mistake: null, judges: [] };

test("after a won match the last turn is judged, then the decisive mistake, also if it is found later", () => {
  const ended = { turn: null, state: "ended", result: "red", reveal: makeReveal() } as const;
  const state = makeEvent({ match: makeMatch({ ...ended, analysis: { ...ANALYSIS, match: { turning: 5, mistake: MISTAKE, missed: null, judges: JUDGES } } }) });
  const verdicts = (second: number) => judgedTurn(sceneAt(state, NOW + second * 1000))?.verdicts;
  assert.deepEqual([verdicts(15.9), verdicts(16), verdicts(22.9), verdicts(23)], [undefined, ANALYSIS.verdicts, ANALYSIS.verdicts, [COSTLY]]);
  assert.deepEqual([nextChange(state, NOW + 7000), nextChange(state, NOW + 16_000), nextChange(state, NOW + 23_000)], [NOW + 16_000, NOW + 23_000, null]);
  assert.equal(sceneBoard(sceneAt(state, NOW + 23_000)), MISTAKE.board);
  const recaps = (next: number) => [16, 23].map((second) => sceneAt({ ...state, next_match_at: NOW + next * 1000 }, NOW + second * 1000).recap);
  assert.deepEqual([recaps(22.9), recaps(34.9), recaps(35)], [[null, null], [LAST_TURN, LAST_TURN], [{ mistake: null, judges: JUDGES }, { mistake: MISTAKE, judges: JUDGES }]], "the next match leaves no time");
});

test("the end screen names the decisive mistake, and a missed win or the turning point", () => {
  const text = (part: Partial<MatchAnalysis>) => turningText({ turning: 5, mistake: MISTAKE, missed: null, judges: [], ...part }, () => "South");
  assert.equal(mistakeText(MISTAKE, "red"), "Decisive mistake: turn 4");
  assert.equal(mistakeText(MISTAKE, "draw"), "Biggest mistake: turn 4");
  assert.equal(text({}), "Turning point: turn 5");
  assert.equal(text({ turning: 4 }), "");
  assert.equal(text({ missed: { side: "yellow", turns: 8 } }), "South missed a certain win for 8 turns");
  assert.equal(text({ missed: { side: "yellow", turns: 1 } }), "South missed a certain win in 1 turn");
});

test("the end screen names the best judges that have a nickname", () => {
  const text = (...names: string[]) => judgesText(names.map((name) => ({ name, hash: "" })));
  assert.equal(text(), "");
  assert.equal(text("Heron 7", "", "Tern"), "Best judges: \u2068Heron\u00a07\u2069, a voter, \u2068Tern\u2069");
  assert.equal(text("", "", ""), "The three best judges see it on their phones");
});

test("winning chances of both sides add up to one", () => {
  assert.deepEqual(chances(ANALYSIS, "red"), { before: 0.25, after: 0.6 });
  assert.deepEqual(chances(ANALYSIS, "yellow"), { before: 0.75, after: 0.4 });
  assert.deepEqual(chances({ ...ANALYSIS, after: null }, "red"), { before: 0.25, after: 0.25 });
  assert.equal(chanceText("North", 0.6, 0), "Winning chance of North: 60%");
  assert.equal(chanceText("North", 0.6, 0.1), "Winning chance of North: ≈60%", "an estimate");
});
