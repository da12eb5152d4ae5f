import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { LATE_MS, nextChange, sceneAt, shownTurn } from "./scene";
import type { Analysis, DecisiveMistake, Match } from "../../protocol";
import { NOW, STEPS, makeEvent, makeMatch, makeReveal, makeTurn } from "../fixtures";
import { dropSpan, replayDropSpan, revealPlan, revealProgress, timelineSteps } from "./timeline";

function phases(part: Parameters<typeof makeMatch>[0], seconds: readonly number[]): string[] {
  const state = makeEvent({ match: makeMatch(part) });
  return seconds.map((s) => sceneAt(state, NOW + s * 1000).phase);
}

test("the talk phase is between the reveal and the vote", () => {
  const turn = makeTurn({ opens_at: NOW + 36_000, closes_at: NOW + 56_000, talk_ms: 30_000 });
  assert.deepEqual(phases({ turn, reveal: makeReveal() }, [0, 5.9, 6, 35.9, 36, 56]), [
    "reveal", "reveal", "talk", "talk", "voting", "sealed",
  ]);
});

test("the clock of the talk phase counts down to the opening", () => {
  const turn = makeTurn({ opens_at: NOW + 30_000, closes_at: NOW + 50_000, talk_ms: 30_000 });
  const state = makeEvent({ match: makeMatch({ turn }) });
  assert.equal(sceneAt(state, NOW + 1000).leftMs, 29_000);
  assert.equal(nextChange(state, NOW + 1500), NOW + 2000);
});

test("a turn paused in its talk phase shows the time left to talk", () => {
  const leftMs = (talk_ms: number) => sceneAt(makeEvent({ match: makeMatch({ turn: makeTurn({ paused: true, talk_ms, left_ms: 20_000 }) }) }), NOW).leftMs;
  assert.deepEqual([leftMs(9000), leftMs(0)], [9000, 20_000]);
});

test("without a talk phase the window's clock is full until it opens", () => {
  const turn = makeTurn({ opens_at: NOW + 3000, closes_at: NOW + 23_000 });
  assert.equal(sceneAt(makeEvent({ match: makeMatch({ turn }) }), NOW).leftMs, 20_000);
});

test("the turn's number changes when the next window opens", () => {
  const turn = makeTurn({ number: 2, opens_at: NOW + 6000, closes_at: NOW + 26_000 });
  const state = makeEvent({ match: makeMatch({ reveal: makeReveal({ number: 1 }), turn }) });
  assert.deepEqual([5999, 6000].map((ms) => shownTurn(sceneAt(state, NOW + ms))?.number), [1, 2]);
});

test("a reveal lasts until the next window opens, or the talk before it", () => {
  const phaseAfter = (ms: number, talk_s: number, paused = false) => {
    const turn = makeTurn({ number: 2, paused, talk_ms: talk_s * 1000, opens_at: NOW + 20_000, closes_at: NOW + 40_000 });
    return sceneAt(makeEvent({ match: makeMatch({ reveal: makeReveal({ number: 1 }), turn }) }), NOW + ms).phase;
  };
  assert.deepEqual([phaseAfter(19_999, 0), phaseAfter(20_000, 0)], ["reveal", "voting"]);
  assert.deepEqual([phaseAfter(14_999, 5), phaseAfter(15_000, 5)], ["reveal", "talk"]);
  assert.equal(phaseAfter(6000, 0, true), "paused");
});

/** The page also waits this long, since steps of a reveal are not at whole milliseconds. */
const JUST_AFTER_MS = 1;

test("the costliest mistake is shown after a win and after a draw, not after a stopped match", () => {
  const mistake = { number: 4 } as DecisiveMistake;
  const analysis = { turn: 6, match: { turning: null, mistake, missed: null, judges: [] } } as unknown as Analysis;
  const recaps = (part: Partial<Match>) => {
    const state = makeEvent({ match: makeMatch({ turn: null, reveal: makeReveal(), analysis, ...part }) });
    return [15_900, 16_000, 23_000].map((ms) => sceneAt(state, NOW + ms).recap);
  };
  for (const result of ["red", "draw"] as const) assert.deepEqual(recaps({ state: "ended", result }), [null, { mistake: null, judges: [] }, { mistake, judges: [] }]);
  assert.deepEqual(recaps({ state: "aborted" }), [null, null, null]);
});

test("nextChange misses no phase and no step", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 9 }), fc.boolean(), (longer, talk_s, close) => {
      const opens_at = NOW + STEPS.over + longer + talk_s * 1000;
      const steps = close ? { ...STEPS, replay: 4600 } : STEPS;
      const close_call = close ? ({ kind: "count", side: "red", first: 1, second: 2, margin: 2 } as const) : null;
      const match = makeMatch({ reveal: makeReveal({ steps, close_call }), turn: makeTurn({ opens_at, closes_at: opens_at + 3000, talk_ms: talk_s * 1000 }) });
      const state = makeEvent({ match });
      const name = (now: number) => [sceneAt(state, now).phase, sceneAt(state, now).stage?.step].join();
      let now = NOW;
      for (let next = nextChange(state, now); next !== null; next = nextChange(state, now)) {
        assert.ok(next > now);
        assert.equal(name((now + next) / 2), name(now));
        now = next + JUST_AFTER_MS;
      }
      assert.equal(now, opens_at + 3000 + LATE_MS + JUST_AFTER_MS);
    }),
  );
});

const CONFLICT = { ...STEPS, hold: 1800, second: 3100, verdict: 4200, replay: 4600 };

test("a conflict that decided the match has every step, in order", () => {
  const plan = revealPlan(makeReveal({ steps: CONFLICT }), { kind: "conflict", side: "red", first: null, second: null, margin: 0 });
  const steps = timelineSteps(plan);
  assert.deepEqual(steps.map(([step]) => step), ["sealed", "pour", "picks", "hold", "drops", "second", "lines", "verdict", "replay", "over"]);
  assert.deepEqual(steps.map(([, at]) => at), steps.map(([, at]) => at).sort((one, other) => one - other));
  const lit = (at: number) => [revealProgress(at, plan).losingLit, revealProgress(at, plan).winningLit];
  assert.deepEqual([lit(CONFLICT.lines), lit(CONFLICT.verdict), lit(CONFLICT.replay)], [[0, 0], [1, 0], [1, 1]]);
  assert.ok(replayDropSpan(plan, 1)[1] <= 1);
  assert.ok(dropSpan(plan, 0)[1] <= dropSpan(plan, 1)[0]);
});

test("a reveal without a close call has no replay step", () => {
  assert.ok(!timelineSteps(revealPlan(makeReveal({ steps: CONFLICT }))).some(([step]) => step === "replay"));
});
