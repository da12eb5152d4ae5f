import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { STEPS, makeMatch, makeResolution, makeReveal } from "../fixtures";
import { revealPlan } from "../scene/timeline";
import type { CloseCall, Drop, Resolution, RevealSteps } from "../../protocol";
import { bedLevel, bedTarget, revealScore, type Motif, type ScoredReveal } from "./score";

const IN_TURN: RevealSteps = { ...STEPS, hold: 1800, second: 3100, token: 4600 };
const DROPS: readonly Drop[] = [{ side: "red", column: 1, row: 1 }, { side: "yellow", column: 2, row: 1 }];
const CLOSE: CloseCall = { kind: "count", side: "red", first: 1, second: 2, margin: 2 };

function score(part: Partial<Resolution>, steps: RevealSteps = STEPS, call: CloseCall | null = null, more: Partial<ScoredReveal> = {}) {
  const reveal = makeReveal({ steps, close_call: call, resolution: makeResolution({ drops: DROPS, ...part }) });
  const scored: ScoredReveal = { reveal, call, plan: revealPlan(reveal, call), match: makeMatch(), reducedMotion: false, home: null, ...more };
  return revealScore(scored);
}

/** The motifs other than the balls', as name and time. */
function events(...given: Parameters<typeof score>): (readonly [Motif, number])[] {
  return score(...given).filter(({ motif }) => motif !== "drop").map(({ motif, at }) => [motif, at] as const);
}

test("an ordinary turn has only the balls that land", () => {
  const cues = score({});
  assert.deepEqual(cues.map(({ motif }) => motif), ["drop", "drop"]);
  for (const { at } of cues) assert.ok(STEPS.drops < at && at < STEPS.lines);
});

test("each event of a reveal has one motif, at its step", () => {
  assert.deepEqual(events({ conflict: 4 }, IN_TURN), [["conflict", IN_TURN.picks], ["token", 4600]]);
  assert.deepEqual(events({ block: DROPS[0]! }), [["block", STEPS.lines]]);
  assert.deepEqual(events({ result: "red" }), [["win", STEPS.lines]]);
  assert.deepEqual(events({}, STEPS, CLOSE), [["close", STEPS.pour]]);
  assert.deepEqual(events({}, { ...STEPS, replay: 4600 }, CLOSE), [["close", 4600]]);
});

test("several events in one turn have one motif each", () => {
  const expected = [["close", 400], ["conflict", 1600], ["win", 4000], ["token", 4600]];
  assert.deepEqual(events({ conflict: 4, result: "yellow", block: DROPS[0]! }, IN_TURN, CLOSE), expected);
});

test("a drum roll ends with the verdict on a double win", () => {
  assert.deepEqual(events({ result: "red", double_win: true }, { ...STEPS, verdict: 5800 }), [["roll", 4200], ["win", 5800]]);
});

test("a draw and a hidden close count have no motif", () => {
  assert.deepEqual(events({ result: "draw" }), []);
  assert.deepEqual(events({}, { ...STEPS, replay: 4600 }, null), []);
});

test("in a conflict the balls land one after the other, and once more in its replay", () => {
  const call: CloseCall = { kind: "conflict", side: "red", first: null, second: null, margin: 0 };
  const balls = (steps: RevealSteps, call: CloseCall | null) => score({ conflict: 4 }, steps, call).filter(({ motif }) => motif === "drop").map(({ at }) => at);
  const [first, second, ...none] = balls(IN_TURN, null);
  assert.ok(first! < IN_TURN.second! && IN_TURN.second! < second!);
  assert.deepEqual(none, []);
  assert.deepEqual(balls({ ...IN_TURN, replay: 4600 }, call).map((at) => at > 4600), [false, false, true, true]);
});

test("a forfeited drop is silent", () => {
  assert.deepEqual(score({ drops: [DROPS[0]!, { ...DROPS[1]!, row: null }] }).length, 1);
});

test("with reduced motion balls sound when they appear", () => {
  assert.deepEqual(score({}, STEPS, null, { reducedMotion: true }).map(({ at }) => at), [STEPS.drops, STEPS.drops]);
});

test("a team's own screen plays the other ball softly and no win of the other team", () => {
  const cues = score({ result: "yellow" }, STEPS, null, { home: "red" });
  assert.deepEqual(cues.map(({ motif, volume }) => [motif, volume < 1]), [["drop", false], ["drop", true]]);
  assert.deepEqual(events({ result: "red" }, STEPS, null, { home: "red" }), [["win", STEPS.lines]]);
});

const turnout = fc.double({ min: 0, max: 1, noNaN: true });
const leftMs = fc.integer({ min: 0, max: 700_000 });

test("the bed grows with the turnout and as the window runs out", () => {
  fc.assert(
    fc.property(turnout, turnout, leftMs, leftMs, (one, other, early, late) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      const [soon, later] = [Math.min(early, late), Math.max(early, late)];
      assert.ok(bedLevel(less, later) <= bedLevel(more, soon));
      assert.ok(0 <= bedLevel(one, early) && bedLevel(one, early) <= 1);
    }),
  );
  assert.ok(bedLevel(0.2, 60_000) < bedLevel(0.9, 60_000));
  assert.ok(bedLevel(0.5, 12_000) < bedLevel(0.5, 3_000));
});

test("a reveal ducks the bed, and a pause stops it", () => {
  const levels = (["sealed", "reveal"] as const).map((phase) => bedTarget(phase, 1, 0));
  for (const level of levels) assert.ok(0 < level && level < bedLevel(0, 60_000));
  for (const phase of ["paused", "lobby", "talk", "ended"] as const) assert.equal(bedTarget(phase, 1, 0), 0);
});

test("a window of days is silent until its last minutes", () => {
  assert.equal(bedLevel(1, 86_400_000), 0);
  assert.ok(bedLevel(0, 300_000) > 0);
});
