import assert from "node:assert/strict";
import test from "node:test";
import type { EventState, Match, Turn } from "../../protocol";
import { PART_BUTTONS } from "../../settings";
import { actionOffers, extraTimeOffers, musicOffers, partOffers } from "./offers";

const TURN = { id: 9, number: 2, opens_at: 0, closes_at: 20_000, paused: false } as Turn;
const MATCH = { number: 1, state: "playing", window_s: 20, turn: TURN, reveal: null } as unknown as Match;

function event(part: Partial<EventState> = {}): EventState {
  return { lobby: "open", match: MATCH, finished: [], hidden: [], best_of: null, ...part } as EventState;
}

type Phase = Parameters<typeof actionOffers>[1];

test("the suggested action is the next step in each phase", () => {
  const next = (phase: Phase, part: Partial<EventState> = {}) => {
    const { main, suggested } = actionOffers(event(part), phase);
    return main.find(({ action }) => action === suggested)?.label;
  };
  assert.deepEqual([next("voting"), next("paused"), next("waiting"), next("reveal")], ["Close now", "Resume", "Pause before the next turn", "Pause before the next turn"]);
  assert.deepEqual([next("lobby", { match: null }), next("lobby", { match: null, lobby: "closed" })], ["Start the match", "Open the lobby"]);
  const over = { ...MATCH, state: "ended", turn: null } as Match;
  const won = [{ number: 1, winner: 1, turns: 9, end_reason: null }, { number: 2, winner: 1, turns: 9, end_reason: null }];
  assert.equal(next("ended", { match: over }), "Start the next match");
  const second = { ...over, number: 2 };
  assert.equal(next("ended", { match: second, best_of: 3, finished: won }), "Start a new series");
  assert.equal(next("ended", { match: second, best_of: 5, finished: won }), "Start the next match");
});

test("a pause before the next turn says when it acts", () => {
  const help = (phase: Phase) => actionOffers(event(), phase).main.find(({ action }) => action === "turn.pause")?.help;
  assert.equal(help("reveal"), "The reveal goes on. The next vote opens when you resume.");
  assert.equal(help("voting"), undefined);
});

test("during a match, pause and close never take each other's place", () => {
  const places = (phase: Phase) => actionOffers(event(), phase).main.map(({ action, enabled }) => (enabled ? action : `(${action})`));
  assert.deepEqual(places("waiting"), ["(turn.close)", "turn.pause"]);
  assert.deepEqual(places("voting"), ["turn.close", "turn.pause"]);
  assert.deepEqual(places("sealed"), ["(turn.close)", "(turn.pause)"]);
  assert.deepEqual(places("reveal"), ["reveal.extend", "turn.pause"]);
  assert.deepEqual(places("paused"), ["turn.close", "turn.resume"]);
});

test("the next step of a match that waits for the organizer has the space bar", () => {
  const led = event({ match: { ...MATCH, host_wait_s: 60 } });
  const steps = (["voting", "sealed", "reveal"] as const).map((phase) => {
    const { main, suggested } = actionOffers(led, phase);
    return [suggested, main[0]!.shortcut, main[0]!.turn];
  });
  assert.deepEqual(steps, [["turn.close", "C", 9], ["reveal.start", "Space", 9], ["turn.open", "Space", 9]]);
});

test("actions keep their position in every phase", () => {
  const places = (["lobby", "waiting", "voting", "reveal", "paused", "sealed", "ended"] as const).map((phase) => actionOffers(event(), phase).rest.map(({ action, seconds }) => `${action} ${seconds ?? ""}`));
  for (const place of places) assert.deepEqual(place, places[0]);
  assert.deepEqual(actionOffers(event(), "voting").rest.map(({ enabled }) => enabled), [true, true, true, false, true, true]);
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
  const slow = { ...MATCH, window_s: 86_400 } as Match;
  assert.deepEqual([asked({ match: slow }), asked({ match: slow, extra_s: 60 })], [[], [10, 30, undefined]]);
});
