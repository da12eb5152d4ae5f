import assert from "node:assert/strict";
import test from "node:test";
import type { Deed, EventState, Match, Pressed, Reveal, Turn } from "../protocol";
import { listed, type Present } from "./undoing";

const MATCH = { number: 2, state: "playing", turn: { id: 40, number: 4, paused: false } as Turn, reveal: null } as unknown as Match;
const REVEAL = { turn: 39, number: 3 } as Reveal;
const NOTHING = { turn: null, seconds: null, text: null, part: null, team: null, sign: null, match: null };

type Press = Partial<Pressed> & Pick<Pressed, "action">;

function present(part: Partial<EventState> = {}, rehearsing = false): Present {
  return { event: { lobby: "open", notice: "", hidden: [], extra_s: 0, match: MATCH, ...part } as unknown as EventState, rehearsing };
}

/** Oldest first: what was pressed, and what takes it back. The words say nothing. */
function told(...deeds: readonly (readonly [Press, Press | null])[]): Deed[] {
  const whole = (press: Press | null): Pressed | null => press && { ...NOTHING, ...press };
  return deeds.map(([pressed, undo], at) => ({ id: at + 1, by: "olga", action: pressed.action, what: "", at, pressed: whole(pressed), undo: whole(undo) })).reverse();
}

/** Newest first: "undone", the action that undoes it, or nothing. */
function seen(deeds: readonly Deed[], now: Present): string[] {
  return listed(deeds, now).map(({ undone, undo }) => (undone ? "undone" : (undo?.action ?? "")));
}

const LOCK = [{ action: "joining.lock" }, { action: "joining.unlock" }] as const;
const UNLOCK = [LOCK[1], LOCK[0]] as const;
const START = (match: number) => [{ action: "match.start", match }, { action: "match.abort" }] as const;
const REHEARSE = [{ action: "rehearsal.start" }, { action: "rehearsal.stop" }] as const;
const PAUSE = (turn: number) => [{ action: "turn.pause", turn }, { action: "turn.resume", turn }] as const;
const MORE = (seconds: number, turn = 40) => [{ action: "turn.extend", turn, seconds }, { action: "turn.shorten", turn, seconds }] as const;
const LESS = (seconds: number, turn = 40) => [MORE(seconds, turn)[1], MORE(seconds, turn)[0]] as const;
const CLOSE = (turn: number) => [{ action: "turn.close", turn }, { action: "turn.void", turn }] as const;
const VOID = (turn: number) => [{ action: "turn.void", turn }, null] as const;
const CLEAR = { action: "notice.clear" } as const;
const WRITE = (text: string) => ({ action: "notice.show", text }) as const;
const HIDE = (part: "code" | "tally") => [{ action: "part.hide", part }, { action: "part.show", part }] as const;
const SHOW = (part: "code" | "tally") => [HIDE(part)[1], HIDE(part)[0]] as const;
const PACE = (seconds: number | null, before: number | null) => [{ action: "pace.set", seconds }, { action: "pace.set", seconds: before }] as const;
const BAN = (sign: string) => [{ action: "voter.ban", sign }, { action: "voter.admit", sign }] as const;
const ADMIT = (sign: string) => [BAN(sign)[1], BAN(sign)[0]] as const;

test("whatever a deed did can be undone, as long as it still is so", () => {
  assert.deepEqual(seen(told(LOCK), present({ lobby: "locked" })), ["joining.unlock"]);
  assert.deepEqual(seen(told(LOCK), present({ lobby: "open" })), [""]);
  assert.deepEqual(seen(told(START(2)), present()), ["match.abort"]);
  assert.deepEqual(seen(told(START(1)), present()), [""]);
  assert.deepEqual(seen(told(REHEARSE), present({}, true)), ["rehearsal.stop"]);
  assert.deepEqual(seen(told(REHEARSE), present()), [""]);
  const paused = { ...MATCH, turn: { ...MATCH.turn!, paused: true } };
  assert.deepEqual(seen(told(PAUSE(40)), present({ match: paused })), ["turn.resume"]);
  assert.deepEqual(seen(told(PAUSE(39)), present({ match: paused })), [""]);
  assert.deepEqual(seen(told(PAUSE(40)), present()), [""]);
});

test("a deed that was undone says so, and nothing is undone twice", () => {
  assert.deepEqual(seen(told(LOCK, UNLOCK), present()), ["joining.lock", "undone"]);
  assert.deepEqual(seen(told(MORE(10), MORE(10), LESS(10), LESS(10)), present()).slice(2), ["undone", "undone"]);
  assert.deepEqual(seen(told(HIDE("code"), HIDE("tally"), SHOW("code")), present({ hidden: ["tally"] })), ["part.hide", "part.show", "undone"]);
});

test("time is given back in the turn that it was taken from", () => {
  const offers = listed(told(MORE(10), MORE(300)), present()).map(({ undo }) => [undo?.action, undo?.seconds, undo?.turn]);
  assert.deepEqual(offers, [["turn.shorten", 300, 40], ["turn.shorten", 10, 40]]);
  assert.deepEqual(seen(told(MORE(10), LESS(10)), present()), ["turn.extend", "undone"]);
  assert.deepEqual(seen(told(MORE(10, 39), LESS(10)), present()), ["turn.extend", ""]);
});

test("a turn that was closed is taken back after a second press; that itself is for good", () => {
  const match = { ...MATCH, reveal: REVEAL };
  const [closed] = listed(told(CLOSE(39)), present({ match }));
  assert.deepEqual([closed?.undo?.action, closed?.undo?.turn, closed?.undo?.sure], ["turn.void", 39, "Sure?"]);
  assert.deepEqual(seen(told(CLOSE(39), VOID(39)), present()), ["", "undone"]);
  assert.deepEqual(seen(told(CLOSE(38)), present({ match })), [""]);
  assert.deepEqual(seen(told(CLOSE(39)), present({ match: { ...match, state: "aborted" } })), [""]);
});

test("what was written before stands there again", () => {
  const [newest, older] = listed(told([WRITE("a"), CLEAR], [WRITE("b"), WRITE("a")]), present({ notice: "b" }));
  assert.deepEqual([newest?.undo?.action, newest?.undo?.text, older?.undo], ["notice.show", "a", null]);
  const cleared = told([WRITE("a"), CLEAR], [CLEAR, WRITE("a")]);
  assert.deepEqual([seen(cleared, present()), listed(cleared, present())[0]?.undo?.text], [["notice.show", "undone"], "a"]);
  assert.deepEqual(seen(told([WRITE("a"), CLEAR], [CLEAR, WRITE("a")], [WRITE("a"), CLEAR]), present({ notice: "a" })), ["notice.clear", "undone", "undone"]);
  assert.deepEqual(seen(told([WRITE("a"), CLEAR], [WRITE("b"), WRITE("a")], [CLEAR, WRITE("b")]), present()), ["notice.show", "", ""]);
});

test("the pace goes back to what it was", () => {
  const deeds = told(PACE(30, null), PACE(60, 30));
  assert.deepEqual([listed(deeds, present({ extra_s: 60 }))[0]?.undo?.seconds, seen(deeds, present({ extra_s: 60 }))[1]], [30, ""]);
  assert.deepEqual(seen(told(PACE(30, null), PACE(null, 30)), present()), ["pace.set", "undone"]);
});

test("who was kept out is let in again, and nobody else", () => {
  assert.deepEqual(seen(told(BAN("QXRTVB"), BAN("ZZZZZZ")), present()), ["voter.admit", "voter.admit"]);
  assert.deepEqual(seen(told(BAN("QXRTVB"), ADMIT("QXRTVB")), present()), ["voter.ban", "undone"]);
});

test("what was done on a page, or by a server of before, has no undo here", () => {
  const before = [{ id: 1, by: "olga", action: "event.edit", what: "", at: 0 }] as unknown as Deed[];
  assert.deepEqual(seen(before, present()), [""]);
});
