import assert from "node:assert/strict";
import test from "node:test";
import { NOW, STEPS, makeEvent, makeMatch, makeReveal, makeTurn } from "../../display/fixtures";
import { withReadableReveal } from "./lateReveal";
import { currentPhase } from "./phase";

const WAITING = makeEvent({ match: makeMatch({ turn: makeTurn({ id: 6, number: 6 }) }) });
const NEXT = { id: 7, number: 7, opens_at: NOW + STEPS.over, closes_at: NOW + STEPS.over + 20_000 };
const REVEALED = makeEvent({ match: makeMatch({ reveal: makeReveal(), turn: makeTurn(NEXT) }) });

/** How much later the reveal begins, and the next window opens. */
function delays(ms: number, before = WAITING as typeof WAITING | null, state = REVEALED): readonly number[] {
  const { match } = withReadableReveal(state, before, NOW + ms);
  return [match!.reveal!.resolved_at - NOW, match!.turn!.opens_at - NEXT.opens_at];
}

test("a late reveal begins when it arrives, and the next window opens when it ends", () => {
  assert.deepEqual(delays(5700), [5700, 5700]);
});

test("a reveal that arrives before its first step, after its end or on a new page follows the server's clock", () => {
  assert.deepEqual(delays(STEPS.pour), [0, 0]);
  assert.deepEqual(delays(STEPS.over), [0, 0]);
  assert.deepEqual(delays(3000, null), [0, 0]);
});

test("a later change in the same reveal does not move it again", () => {
  const shown = { ...REVEALED, ...withReadableReveal(REVEALED, WAITING, NOW + 3000) };
  assert.deepEqual(delays(4500, shown), [3000, 3000]);
  assert.deepEqual(delays(4500, REVEALED), [0, 0]);
});

test("a late reveal leaves half of a short window, and a discussion is shortened first", () => {
  const next = (part: object) => makeEvent({ match: makeMatch({ reveal: makeReveal(), turn: makeTurn({ ...NEXT, ...part }) }) });
  assert.deepEqual(delays(3000, WAITING, next({ closes_at: NEXT.opens_at + 4000 })), [3000, 2000]);
  assert.deepEqual(delays(3000, WAITING, next({ opens_at: NEXT.opens_at + 10_000, talk_ms: 10_000 })), [3000, 10_000]);
});

test("after a late reveal the vote begins with the shortened window", () => {
  const next = makeEvent({ match: makeMatch({ reveal: makeReveal(), turn: makeTurn({ ...NEXT, closes_at: NEXT.opens_at + 4000 }) }) });
  const shown = { ...next, ...withReadableReveal(next, WAITING, NOW + 3000) };
  const { opens_at } = shown.match!.turn!;
  assert.deepEqual([opens_at - 1, opens_at].map((at) => currentPhase(shown, at)), ["reveal", "voting"]);
});
