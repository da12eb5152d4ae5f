import assert from "node:assert/strict";
import test from "node:test";
import type { AuditEntry, EventState, Match, Pressed, Reveal, Turn } from "../../protocol";
import { listEntries, type UndoContext } from "./undo";

const MATCH = { number: 2, state: "playing", turn: { id: 40, number: 4, paused: false } as Turn, reveal: null } as unknown as Match;
const REVEAL = { turn: 39, number: 3 } as Reveal;
const NOTHING = { turn: null, seconds: null, text: null, part: null, team: null, voter_code: null, match: null };

type ActionPart = Partial<Pressed> & Pick<Pressed, "action">;

function makeContext(part: Partial<EventState> = {}, rehearsing = false): UndoContext {
  return { event: { lobby: "open", notice: "", hidden: [], extra_s: 0, match: MATCH, ...part } as unknown as EventState, rehearsing };
}

/** Oldest first: each action and the action that undoes it. The texts are irrelevant. */
function makeEntries(...audit: readonly (readonly [ActionPart, ActionPart | null])[]): AuditEntry[] {
  const whole = (press: ActionPart | null): Pressed | null => press && { ...NOTHING, ...press };
  return audit.map(([pressed, undo], at) => ({ id: at + 1, by: "olga", action: pressed.action, what: "", at, pressed: whole(pressed), undo: whole(undo) })).reverse();
}

/** Newest first: "undone", the action that undoes it, or nothing. */
function undoActions(audit: readonly AuditEntry[], now: UndoContext): string[] {
  return listEntries(audit, now).map(({ undone, undo }) => (undone ? "undone" : (undo?.action ?? "")));
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
const PACE = (seconds: number | null, before: number | null) => [{ action: "turn.extra_time", seconds }, { action: "turn.extra_time", seconds: before }] as const;
const BAN = (voter_code: string) => [{ action: "voter.ban", voter_code }, { action: "voter.admit", voter_code }] as const;
const ADMIT = (voter_code: string) => [BAN(voter_code)[1], BAN(voter_code)[0]] as const;

test("an action can be undone while its effect still holds", () => {
  assert.deepEqual(undoActions(makeEntries(LOCK), makeContext({ lobby: "locked" })), ["joining.unlock"]);
  assert.deepEqual(undoActions(makeEntries(LOCK), makeContext({ lobby: "open" })), [""]);
  assert.deepEqual(undoActions(makeEntries(START(2)), makeContext()), ["match.abort"]);
  assert.deepEqual(undoActions(makeEntries(START(1)), makeContext()), [""]);
  assert.deepEqual(undoActions(makeEntries(REHEARSE), makeContext({}, true)), ["rehearsal.stop"]);
  assert.deepEqual(undoActions(makeEntries(REHEARSE), makeContext()), [""]);
  const paused = { ...MATCH, turn: { ...MATCH.turn!, paused: true } };
  assert.deepEqual(undoActions(makeEntries(PAUSE(40)), makeContext({ match: paused })), ["turn.resume"]);
  assert.deepEqual(undoActions(makeEntries(PAUSE(39)), makeContext({ match: paused })), [""]);
  assert.deepEqual(undoActions(makeEntries(PAUSE(40)), makeContext()), [""]);
});

test("an undone entry says so and cannot be undone twice", () => {
  assert.deepEqual(undoActions(makeEntries(LOCK, UNLOCK), makeContext()), ["joining.lock", "undone"]);
  assert.deepEqual(undoActions(makeEntries(MORE(10), MORE(10), LESS(10), LESS(10)), makeContext()).slice(2), ["undone", "undone"]);
  assert.deepEqual(undoActions(makeEntries(HIDE("code"), HIDE("tally"), SHOW("code")), makeContext({ hidden: ["tally"] })), ["part.hide", "part.show", "undone"]);
});

test("undoing extra time applies to the same turn", () => {
  const offers = listEntries(makeEntries(MORE(10), MORE(300)), makeContext()).map(({ undo }) => [undo?.action, undo?.seconds, undo?.turn]);
  assert.deepEqual(offers, [["turn.shorten", 300, 40], ["turn.shorten", 10, 40]]);
  assert.deepEqual(undoActions(makeEntries(MORE(10), LESS(10)), makeContext()), ["turn.extend", "undone"]);
  assert.deepEqual(undoActions(makeEntries(MORE(10, 39), LESS(10)), makeContext()), ["turn.extend", ""]);
});

test("voiding a closed turn needs a confirmation and cannot be undone", () => {
  const match = { ...MATCH, reveal: REVEAL };
  const [closed] = listEntries(makeEntries(CLOSE(39)), makeContext({ match }));
  assert.deepEqual([closed?.undo?.action, closed?.undo?.turn, closed?.undo?.confirm], ["turn.void", 39, "Sure?"]);
  assert.deepEqual(undoActions(makeEntries(CLOSE(39), VOID(39)), makeContext()), ["", "undone"]);
  assert.deepEqual(undoActions(makeEntries(CLOSE(38)), makeContext({ match })), [""]);
  assert.deepEqual(undoActions(makeEntries(CLOSE(39)), makeContext({ match: { ...match, state: "aborted" } })), [""]);
});

test("undoing a notice restores the previous text", () => {
  const [newest, older] = listEntries(makeEntries([WRITE("a"), CLEAR], [WRITE("b"), WRITE("a")]), makeContext({ notice: "b" }));
  assert.deepEqual([newest?.undo?.action, newest?.undo?.text, older?.undo], ["notice.show", "a", null]);
  const cleared = makeEntries([WRITE("a"), CLEAR], [CLEAR, WRITE("a")]);
  assert.deepEqual([undoActions(cleared, makeContext()), listEntries(cleared, makeContext())[0]?.undo?.text], [["notice.show", "undone"], "a"]);
  assert.deepEqual(undoActions(makeEntries([WRITE("a"), CLEAR], [CLEAR, WRITE("a")], [WRITE("a"), CLEAR]), makeContext({ notice: "a" })), ["notice.clear", "undone", "undone"]);
  assert.deepEqual(undoActions(makeEntries([WRITE("a"), CLEAR], [WRITE("b"), WRITE("a")], [CLEAR, WRITE("b")]), makeContext()), ["notice.show", "", ""]);
});

test("undoing extra time per turn restores the previous value", () => {
  const audit = makeEntries(PACE(30, null), PACE(60, 30));
  assert.deepEqual([listEntries(audit, makeContext({ extra_s: 60 }))[0]?.undo?.seconds, undoActions(audit, makeContext({ extra_s: 60 }))[1]], [30, ""]);
  assert.deepEqual(undoActions(makeEntries(PACE(30, null), PACE(null, 30)), makeContext()), ["turn.extra_time", "undone"]);
});

test("undoing a ban readmits only that voter", () => {
  assert.deepEqual(undoActions(makeEntries(BAN("QXRTVB"), BAN("ZZZZZZ")), makeContext()), ["voter.admit", "voter.admit"]);
  assert.deepEqual(undoActions(makeEntries(BAN("QXRTVB"), ADMIT("QXRTVB")), makeContext()), ["voter.ban", "undone"]);
});

test("entries of other pages or older servers have no undo", () => {
  const before = [{ id: 1, by: "olga", action: "event.edit", what: "", at: 0 }] as unknown as AuditEntry[];
  assert.deepEqual(undoActions(before, makeContext()), [""]);
});
