import assert from "node:assert/strict";
import test from "node:test";
import type { Action, Deed, EventState, Match, Reveal, Turn } from "../protocol";
import { listed, type Present } from "./undoing";

const MATCH = { number: 2, state: "playing", turn: { id: 40, number: 4, paused: false } as Turn, reveal: null } as unknown as Match;
const REVEAL = { turn: 39, number: 3, resolved_at: 30_000 } as Reveal;

function eventWith(part: Partial<EventState>): EventState {
  return { lobby: "open", notice: "", hidden: [], match: MATCH, ...part } as unknown as EventState;
}

function present(part: Partial<EventState> = {}, revealedAt: readonly number[] = [], rehearsing = false): Present {
  return { event: eventWith(part), revealedAt, rehearsing };
}

/** Oldest first, a second apart from the fortieth on. */
function told(...deeds: readonly (readonly [Action, string])[]): Deed[] {
  return deeds.map(([action, what], index) => ({ id: index + 1, by: "olga", action, what, at: 40_000 + 1000 * index })).reverse();
}

/** Newest first: "undone", the action that undoes it, or nothing. */
function seen(deeds: readonly Deed[], now: Present): string[] {
  return listed(deeds, now).map(({ undone, undo }) => (undone ? "undone" : (undo?.action ?? "")));
}

test("whatever a deed did is undone by its opposite, as long as it still is so", () => {
  const lock = told(["joining.lock", "let no one new in"]);
  assert.deepEqual(seen(lock, present({ lobby: "locked" })), ["joining.unlock"]);
  assert.deepEqual(seen(lock, present({ lobby: "open" })), [""]);
  assert.deepEqual(seen(told(["match.start", "started match 2"]), present()), ["match.abort"]);
  assert.deepEqual(seen(told(["match.start", "started match 1"]), present()), [""]);
  assert.deepEqual(seen(told(["rehearsal.start", "let 20 simulated phones in"]), present({}, [], true)), ["rehearsal.stop"]);
  assert.deepEqual(seen(told(["rehearsal.start", "let 20 simulated phones in"]), present()), [""]);
  const paused = { ...MATCH, turn: { ...MATCH.turn!, paused: true } };
  assert.deepEqual(seen(told(["turn.pause", "paused turn 4"]), present({ match: paused })), ["turn.resume"]);
  assert.deepEqual(seen(told(["turn.pause", "paused turn 3"]), present({ match: paused })), [""]);
});

test("a deed that was undone says so, and nothing is undone twice", () => {
  const deeds = told(["joining.lock", "let no one new in"], ["joining.unlock", "let people in again"]);
  assert.deepEqual(seen(deeds, present()), ["joining.lock", "undone"]);
  const twice = told(["turn.extend", "added 10 s"], ["turn.extend", "added 10 s"], ["turn.shorten", "took 10 s away"], ["turn.shorten", "took 10 s away"]);
  assert.deepEqual(seen(twice, present()).slice(2), ["undone", "undone"]);
  const parts = told(["part.hide", "hid the join code"], ["part.hide", "hid the votes"], ["part.show", "showed the join code"]);
  assert.deepEqual(seen(parts, present({ hidden: ["tally"] })), ["part.hide", "part.show", "undone"]);
});

test("time is given back in the turn that it was taken from", () => {
  const deeds = told(["turn.extend", "added 10 s"], ["turn.extend", "added 5 min"]);
  const offers = listed(deeds, present()).map(({ undo }) => [undo?.action, undo?.seconds, undo?.turn]);
  assert.deepEqual(offers, [["turn.shorten", 300, 40], ["turn.shorten", 10, 40]]);
  const shorter = told(["turn.extend", "added 10 s"], ["turn.shorten", "took 10 s away"]);
  assert.deepEqual(seen(shorter, present()), ["turn.extend", "undone"]);
});

test("what was done to a turn before cannot be undone in this one", () => {
  const deeds = told(["turn.extend", "added 10 s"], ["turn.shorten", "took 10 s away"]);
  assert.deepEqual(seen(deeds, present({}, [40_500])), ["turn.extend", ""]);
  assert.deepEqual(seen(deeds, present({}, [60_000])), ["", ""]);
  const again = told(["turn.extend", "added 10 s"], ["turn.void", "took turn 3 back"]);
  assert.deepEqual(seen(again, present()), ["", ""]);
});

test("a turn that was closed is taken back after a second press; that itself is for good", () => {
  const match = { ...MATCH, reveal: { ...REVEAL, resolved_at: 40_100 } };
  const [closed] = listed(told(["turn.close", "closed turn 3"]), present({ match }));
  assert.deepEqual([closed?.undo?.action, closed?.undo?.turn, closed?.undo?.sure], ["turn.void", 39, "Sure?"]);
  const voided = told(["turn.close", "closed turn 3"], ["turn.void", "took turn 3 back"]);
  assert.deepEqual(seen(voided, present()), ["", "undone"]);
  assert.deepEqual(seen(told(["turn.close", "closed turn 3"]), present({ match: { ...MATCH, reveal: { ...REVEAL, resolved_at: 90_000 } } })), [""]);
});

test("what was written before stands there again", () => {
  const deeds = told(["notice.show", "wrote: back in 10 min"], ["notice.show", "wrote: turn 4 counts twice"]);
  const [newest, older] = listed(deeds, present({ notice: "turn 4 counts twice" }));
  assert.deepEqual([newest?.undo?.action, newest?.undo?.text, older?.undo], ["notice.show", "back in 10 min", null]);
  assert.deepEqual(seen(told(["notice.show", "wrote: hello"]), present({ notice: "hello" })), ["notice.clear"]);
  const cleared = told(["notice.show", "wrote: hello"], ["notice.clear", "took the line down"]);
  assert.deepEqual(seen(cleared, present()), ["notice.show", "undone"]);
  assert.equal(listed(cleared, present())[0]?.undo?.text, "hello");
  assert.deepEqual(seen(told(["notice.clear", "took the line down"]), present()), [""]);
  const again = [["notice.show", "wrote: hello"], ["notice.clear", "took the line down"]] as const;
  assert.deepEqual(seen(told(...again, again[0]), present({ notice: "hello" })), ["notice.clear", "undone", "undone"]);
  assert.deepEqual(seen(told(...again, ["notice.show", "wrote: good night"]), present({ notice: "good night" })), ["notice.clear", "", "undone"]);
});
