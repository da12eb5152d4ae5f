import assert from "node:assert/strict";
import test from "node:test";
import type { EventState } from "../../protocol";
import { keyCommand } from "./keyCommands";
import { presenterAction, type PresenterCommand } from "./presenterActions";
import type { ScreenPhase } from "../scene/scene";
import { NOW, makeEvent, makeMatch, makeReveal, makeTurn } from "../fixtures";

function actionFor(wish: PresenterCommand, state: EventState, phase: ScreenPhase): string {
  const order = presenterAction(wish, state, phase, NOW);
  return typeof order === "string" ? "" : `${order.action}${order.confirm ? "!" : ""}`;
}

test("the next action depends on the phase, and serious actions need a confirmation", () => {
  const paused = makeEvent({ match: makeMatch({ turn: makeTurn({ paused: true, left_ms: 5 }) }) });
  const led = makeEvent({ match: makeMatch({ host_wait_s: 60 }) });
  const ended = makeEvent({ match: makeMatch({ state: "ended", turn: null }) });
  const timelineSteps: ReadonlyArray<readonly [EventState, ScreenPhase, string]> = [
    [makeEvent({ match: null, lobby: "closed" }), "lobby", "lobby.open"],
    [makeEvent({ match: null }), "lobby", "match.start!"],
    [makeEvent(), "talk", ""],
    [makeEvent(), "voting", "turn.close!"],
    [paused, "paused", "turn.resume"],
    [makeEvent(), "sealed", ""],
    [makeEvent(), "reveal", ""],
    [led, "sealed", "reveal.start"],
    [led, "reveal", "turn.open"],
    [paused, "reveal", "turn.resume"],
    [ended, "reveal", ""],
    [ended, "ended", "match.start!"],
  ];
  for (const [state, phase, expected] of timelineSteps) assert.equal(actionFor("next", state, phase), expected, phase);
});

test("a key applies to the turn on the screen", () => {
  assert.deepEqual(presenterAction("extend", makeEvent(), "voting", NOW), { action: "turn.extend", turn: 7, seconds: 10, confirm: "" });
  const long = makeEvent({ match: makeMatch({ window_s: 86_400 }) });
  assert.equal((presenterAction("extend", long, "voting", NOW) as { seconds: number }).seconds, 3600);
  const revealed = makeEvent({ match: makeMatch({ reveal: makeReveal() }) });
  assert.deepEqual(presenterAction("undo", revealed, "voting", NOW), {
    action: "turn.void", turn: 6, seconds: null, confirm: "Press again to take back turn 6",
  });
});

test("keys without an applicable action do nothing and say so", () => {
  const before = makeEvent({ match: null, lobby: "closed" });
  for (const wish of ["pause", "extend", "close", "undo", "lock"] as const) assert.equal(actionFor(wish, before, "lobby"), "");
  assert.equal(actionFor("close", makeEvent(), "talk"), "");
  const timed = makeEvent({ match: makeMatch({ clocks: { bank_s: 60, increment_s: 0, cap_s: null, red_ms: 60_000, yellow_ms: 60_000, crowd: true } }) });
  for (const wish of ["pause", "extend", "close"] as const) assert.match(presenterAction(wish, timed, "voting", NOW) as string, /players' clocks/);
  assert.equal(actionFor("next", makeEvent({ match: null, ends_at: NOW }), "lobby"), "");
  assert.equal(actionFor("undo", makeEvent({ match: makeMatch({ state: "aborted", reveal: makeReveal(), turn: null }) }), "ended"), "");
});

test("joining is locked and unlocked by the same key", () => {
  assert.equal(actionFor("lock", makeEvent(), "voting"), "joining.lock");
  assert.equal(actionFor("lock", makeEvent({ lobby: "locked" }), "voting"), "joining.unlock");
});

test("the keys of a presentation clicker are recognized, others are not", () => {
  assert.deepEqual(["PageDown", " ", ".", "b", "B", "PageUp", "x"].map(keyCommand), ["next", "next", "blank", "blank", "blank", null, null]);
});
