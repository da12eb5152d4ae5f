import assert from "node:assert/strict";
import test from "node:test";
import type { EventState, Match, Turn } from "../../protocol";
import { PART_BUTTONS } from "../../settings";
import { rehearsalObstacle } from "../rehearsal/rehearsal";
import { actionOffers, extraTimeOffers, musicOffers, partOffers } from "./offers";

const TURN = { id: 9, number: 2, opens_at: 0, closes_at: 20_000, paused: false } as Turn;
const HELD = { ...TURN, paused: true, left_ms: 12_999 } as Turn;
const MATCH = { number: 1, state: "playing", window_s: 20, board: {}, turn: TURN, reveal: null } as unknown as Match;

function event(part: Partial<EventState> = {}): EventState {
  return { lobby: "open", match: MATCH, finished: [], hidden: [], best_of: null, ends_at: null, ...part } as EventState;
}

type Phase = Parameters<typeof actionOffers>[1];

function offersIn(phase: Phase, part: Partial<EventState> = {}, now = 0): Pick<ReturnType<typeof actionOffers>, "suggested"> & { main: string[]; rest: string[] } {
  const { main, suggested, rest } = actionOffers(event(part), phase, now);
  const names = (offers: typeof main) => offers.map(({ action, enabled }) => (enabled ? action : `(${action})`));
  return { main: names(main), suggested, rest: names(rest) };
}

test("the suggested action is the next step in each phase", () => {
  const next = (phase: Phase, part: Partial<EventState> = {}) => {
    const { main, suggested } = actionOffers(event(part), phase, 0);
    return main.find(({ action }) => action === suggested)?.label;
  };
  assert.deepEqual([next("voting"), next("paused", { match: { ...MATCH, turn: HELD } }), next("waiting"), next("reveal")], ["Close now", "Resume", "Pause before the next turn", "Pause before the next turn"]);
  assert.deepEqual([next("lobby", { match: null }), next("lobby", { match: null, lobby: "closed" })], ["Start the match", "Open the lobby"]);
  const over = { ...MATCH, state: "ended", turn: null } as Match;
  const won = [{ number: 1, winner: 1, turns: 9, end_reason: null }, { number: 2, winner: 1, turns: 9, end_reason: null }];
  assert.equal(next("ended", { match: over }), "Start the next match");
  const second = { ...over, number: 2 };
  assert.equal(next("ended", { match: second, best_of: 3, finished: won }), "Start a new series");
  assert.equal(next("ended", { match: second, best_of: 5, finished: won }), "Start the next match");
});

test("a pause before the next turn says when it acts", () => {
  const help = (phase: Phase) => actionOffers(event(), phase, 0).main.find(({ action }) => action === "turn.pause")?.help;
  assert.equal(help("reveal"), "The reveal goes on. The next vote opens when you resume.");
  assert.equal(help("voting"), undefined);
});

test("during a match, pause and close never take each other's place", () => {
  const places = (phase: Phase) => offersIn(phase).main;
  assert.deepEqual(places("waiting"), ["(turn.close)", "turn.pause"]);
  assert.deepEqual(places("voting"), ["turn.close", "turn.pause"]);
  assert.deepEqual(places("sealed"), ["(turn.close)", "(turn.pause)"]);
  assert.deepEqual(places("reveal"), ["reveal.extend", "turn.pause"]);
  assert.deepEqual(offersIn("paused", { match: { ...MATCH, turn: HELD } }).main, ["turn.close", "turn.resume"]);
});

test("the next step of a match that waits for the organizer has the space bar", () => {
  const led = event({ match: { ...MATCH, host_wait_s: 60 } });
  const steps = (["voting", "sealed", "reveal"] as const).map((phase) => {
    const { main, suggested } = actionOffers(led, phase, 0);
    return [suggested, main[0]!.shortcut, main[0]!.turn];
  });
  assert.deepEqual(steps, [["turn.close", "C", 9], ["reveal.start", "Space", 9], ["turn.open", "Space", 9]]);
});

test("actions keep their position in every phase", () => {
  const places = (["lobby", "waiting", "voting", "reveal", "paused", "sealed", "ended"] as const).map((phase) => actionOffers(event(), phase, 0).rest.map(({ action, seconds }) => `${action} ${seconds ?? ""}`));
  for (const place of places) assert.deepEqual(place, places[0]);
  assert.deepEqual(actionOffers(event(), "voting", 0).rest.map(({ enabled }) => enabled), [true, true, true, false, true, true]);
});

test("no action is offered that the server refuses", () => {
  const reveal = { resolved_at: 0, turn: 8, number: 1, steps: { over: 6000 } };
  const live = (part: object) => ({ match: { ...MATCH, reveal, ...part } as unknown as Match });
  const timed = offersIn("voting", live({ clocks: {} }));
  assert.deepEqual([timed.main, timed.rest.slice(0, 2)], [[], ["turn.void", "joining.lock"]]);
  assert.deepEqual(offersIn("paused", live({ clocks: {}, turn: HELD })).main, ["turn.resume"], "a pause for want of votes");
  const paused = offersIn("reveal", live({ turn: HELD }));
  assert.deepEqual([paused.main, paused.suggested, paused.rest[0]], [["(reveal.extend)", "turn.resume"], "turn.resume", "(turn.shorten)"]);
  assert.deepEqual(offersIn("reveal", live({ host_wait_s: 60, turn: HELD })).main, ["(reveal.extend)", "turn.resume"]);
  const opening = [5999, 6000].map((now) => offersIn("reveal", live({ host_wait_s: 60 }), now).main[0]);
  assert.deepEqual(opening, ["(turn.open)", "turn.open"]);
  assert.equal(offersIn("sealed", live({ host_wait_s: 60, board: { vote: "concealed" } })).main[0], "(turn.close)");
  assert.deepEqual([7000, 7001].map((now) => offersIn("voting", {}, now).rest[0]), ["turn.shorten", "(turn.shorten)"]);
  const ended = (part: object) => ({ ...live({ state: "ended", turn: null, ...part }), ends_at: 9000 });
  const last = (part: object, now: number) => offersIn("ended", ended(part), now);
  assert.deepEqual([last({}, 8999).main, last({}, 9000).main], [["match.start"], ["(match.start)"]]);
  const voided = [last({}, 8999), last({}, 9000), last({ rated: {} }, 0), last({ max_side_changes: 1 }, 0)].map(({ rest }) => rest[3]);
  assert.deepEqual(voided, ["turn.void", "(turn.void)", "(turn.void)", "(turn.void)"]);
  const secret = partOffers(event(live({ max_side_changes: 1 }))).filter(({ enabled }) => !enabled).map(({ part }) => part);
  assert.deepEqual(secret, ["tally"]);
  const joins = [{ admission: "open" }, { lobby: "locked" }, { admission: "tickets" }] as const;
  assert.deepEqual(joins.map((part) => rehearsalObstacle(event(part)) === ""), [true, false, false]);
});

test("a display switch toggles the current state", () => {
  const offers = partOffers(event({ hidden: ["turnout"] }));
  assert.equal(offers.length, Object.keys(PART_BUTTONS).length);
  for (const { action, part } of offers) assert.equal(action, part === "turnout" || part === "sound" ? "part.show" : "part.hide");
  assert.deepEqual(partOffers(event({ sound_on: true })).filter(({ action }) => action === "part.show"), []);
});

test("lobby music is offered only where the installation has some", () => {
  const offered = (part: Partial<EventState>) => musicOffers(event(part)).map(({ action }) => action);
  assert.deepEqual([{}, { lobby_music: null }, { lobby_music: false }, { lobby_music: true }].map(offered), [[], [], ["music.start"], ["music.stop"]]);
});

test("extra time per turn is switched on and off by the same button", () => {
  const asked = (part: Partial<EventState>) => extraTimeOffers(event({ extra_s: 0, ...part })).map(({ seconds }) => seconds);
  assert.deepEqual([asked({}), asked({ match: null }), asked({ extra_s: 30 })], [[10, 30, 60], [10, 30, 60], [10, undefined, 60]]);
  assert.deepEqual(asked({ match: { ...MATCH, clocks: {} } as Match }), [], "it would change nothing");
  const slow = { ...MATCH, window_s: 86_400 } as Match;
  assert.deepEqual([asked({ match: slow }), asked({ match: slow, extra_s: 60 })], [[], [10, 30, undefined]]);
});
