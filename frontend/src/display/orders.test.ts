import assert from "node:assert/strict";
import test from "node:test";
import type { EventState } from "../protocol";
import { commandOf } from "./keys";
import { orderFor, type Wish } from "./orders";
import type { Phase } from "./scene";
import { eventOf, matchOf, revealOf, turnOf } from "./staging";

function action(wish: Wish, state: EventState, phase: Phase): string {
  const order = orderFor(wish, state, phase);
  return typeof order === "string" ? "" : `${order.action}${order.sure ? "!" : ""}`;
}

test("the one next action follows the evening; what is grave is asked twice", () => {
  const paused = eventOf({ match: matchOf({ turn: turnOf({ paused: true, left_ms: 5 }) }) });
  const ended = eventOf({ match: matchOf({ state: "ended", turn: null }) });
  const steps: ReadonlyArray<readonly [EventState, Phase, string]> = [
    [eventOf({ match: null, lobby: "closed" }), "lobby", "lobby.open"],
    [eventOf({ match: null }), "lobby", "match.start!"],
    [eventOf(), "talk", ""],
    [eventOf(), "voting", "turn.close!"],
    [paused, "paused", "turn.resume"],
    [eventOf(), "sealed", ""],
    [eventOf(), "reveal", ""],
    [ended, "reveal", ""],
    [ended, "ended", "match.start!"],
  ];
  for (const [state, phase, expected] of steps) assert.equal(action("next", state, phase), expected, phase);
});

test("a key is meant for the turn on the screen", () => {
  assert.deepEqual(orderFor("extend", eventOf(), "voting"), { action: "turn.extend", turn: 7, seconds: 10, sure: "" });
  const long = eventOf({ match: matchOf({ window_s: 86_400 }) });
  assert.equal((orderFor("extend", long, "voting") as { seconds: number }).seconds, 3600);
  const revealed = eventOf({ match: matchOf({ reveal: revealOf() }) });
  assert.deepEqual(orderFor("undo", revealed, "voting"), {
    action: "turn.void", turn: 6, seconds: null, sure: "Press again to take back turn 6",
  });
});

test("keys that fit nothing say so and do nothing", () => {
  const before = eventOf({ match: null, lobby: "closed" });
  for (const wish of ["pause", "extend", "close", "undo", "lock"] as const) assert.equal(action(wish, before, "lobby"), "");
  assert.equal(action("close", eventOf(), "talk"), "");
  assert.equal(action("undo", eventOf({ match: matchOf({ state: "aborted", reveal: revealOf(), turn: null }) }), "ended"), "");
});

test("joining is locked and unlocked by the same key", () => {
  assert.equal(action("lock", eventOf(), "voting"), "joining.lock");
  assert.equal(action("lock", eventOf({ lobby: "locked" }), "voting"), "joining.unlock");
});

test("a clicker's keys are known, others are not", () => {
  assert.deepEqual(["PageDown", " ", ".", "b", "B", "PageUp", "x"].map(commandOf), ["next", "next", "blank", "blank", "blank", null, null]);
});
