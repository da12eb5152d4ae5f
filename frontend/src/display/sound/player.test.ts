import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { NOW, STEPS, makeEvent, makeMatch, makeResolution, makeReveal, makeTurn } from "../fixtures";
import { sceneAt } from "../scene/scene";
import type { Match } from "../../protocol";
import type { StageView } from "../scene/stageView";
import { SoundPlayer, type Levels } from "./player";

const TURN = makeTurn({ closes_at: NOW + 20_000 });

function levels(voted: number, of: number): Levels {
  const level = { number: voted, share: voted / of, word: "voted", of, isActive: true } as const;
  return [level, level];
}

/** What follows from these steps of a view: the name of each sound, and the level of the bed. */
function play(...steps: readonly (readonly [elapsed: number, levels: Levels, more?: Partial<StageView>, paused?: boolean])[]): string[] {
  const played: string[] = [];
  const player = new SoundPlayer({
    time: 0,
    isRunning: true,
    setBed: (level) => played.push(`bed ${level.toFixed(2)}`),
    play: (motif) => played.push(motif),
    tick: () => played.push("tick"),
    drip: () => played.push("drip"),
    setMusic: (on) => void (on && played.push("music")),
    fadeOut: () => undefined,
  });
  for (const [elapsed, levels, more, paused = false] of steps) {
    const state = makeEvent({ match: makeMatch({ turn: { ...TURN, paused } }) });
    const view = { state, scene: sceneAt(state, NOW + elapsed), turnout: null, counts: null, cheers: { all: [0, 0], latest: [0, 0] }, home: false, reducedMotion: false, now: () => NOW + elapsed, ...more };
    player.follow(view as unknown as StageView, levels);
  }
  return played;
}

test("votes drip, and the bed grows with the turnout", () => {
  assert.deepEqual(play([0, levels(0, 10)], [1000, levels(2, 10)]), ["bed 0.20", "bed 0.28", "drip", "drip"]);
});

test("the last five seconds tick, and the deadline rings once", () => {
  const moments = [14_900, 15_000, 15_100, 16_000, 17_000, 18_000, 19_000, 20_000, 20_400];
  const sounds = play(...moments.map((at) => [at, levels(0, 10)] as const));
  assert.deepEqual(sounds.filter((sound) => !sound.startsWith("bed")), ["tick", "tick", "tick", "tick", "tick", "seal"]);
});

test("a pause stops the bed", () => {
  assert.deepEqual(play([0, levels(5, 10)], [100, levels(5, 10), {}, true]), ["bed 0.40", "bed 0.00"]);
});

test("music plays in the lobby only, if the organizer wants it", () => {
  const sounds = (lobby_music: boolean | null, match: Match | null) => {
    const state = makeEvent({ match, lobby_music });
    return play([0, levels(0, 10), { state, scene: sceneAt(state, NOW) }]).includes("music");
  };
  assert.deepEqual([sounds(true, null), sounds(false, null), sounds(null, null), sounds(true, makeMatch({ turn: TURN }))], [true, false, false, false]);
});

test("before the reveal, sounds know only what the turnout bars show", () => {
  const turnout = (voted: readonly [number, number]) => ({ turnout: { type: "turnout.counted", turn: TURN.id, connected: [60, 60], voted } }) as unknown as Partial<StageView>;
  const counts = (counts: readonly number[]) => ({ counts: { type: "team.counted", turn: TURN.id, counts } }) as unknown as Partial<StageView>;
  const variants = [{}, turnout([3, 4]), turnout([60, 60]), counts([60, 0, 0, 0, 0, 0, 0]), counts([9, 8, 9, 8, 9, 8, 9])].map((more) =>
    play([0, levels(0, 10), more], [1000, levels(4, 10), more], [17_000, levels(9, 10), more], [20_000, levels(9, 10), more]),
  );
  for (const sounds of variants) assert.deepEqual(sounds, variants[0]);
});

/** The sounds of a reveal and the time of each, while the screen is drawn every 100 ms until `until`. */
function playReveal(until: number): [string, number][] {
  mock.timers.enable({ apis: ["setTimeout"] });
  Object.assign(globalThis, { window: globalThis });
  let elapsed = 0;
  const played: [string, number][] = [];
  const player = new SoundPlayer({
    get time() {
      return elapsed / 1000;
    },
    isRunning: true,
    setBed: () => undefined,
    play: (motif, at = 0) => played.push([motif, Math.round(at * 1000)]),
    tick: () => undefined,
    drip: () => undefined,
    setMusic: () => undefined,
    fadeOut: () => undefined,
  });
  const reveal = makeReveal({ steps: { ...STEPS, token: 4600 }, resolution: makeResolution({ conflict: 4, result: "red" }) });
  const match = makeMatch({ reveal, turn: makeTurn({ opens_at: NOW + 7000, closes_at: NOW + 27_000 }) });
  for (; elapsed < 7000; elapsed += 100) {
    const state = makeEvent({ match: elapsed < until ? match : makeMatch({ turn: { ...TURN, opens_at: NOW, closes_at: NOW + 60_000 } }) });
    const view = { state, scene: sceneAt(state, NOW + elapsed), cheers: { all: [0, 0], latest: [0, 0] }, home: false, reducedMotion: false, now: () => NOW + elapsed };
    player.follow(view as unknown as StageView, levels(0, 10));
    mock.timers.tick(100);
  }
  mock.timers.reset();
  return played;
}

test("a reveal plays each motif once and on time, however often the screen is drawn", () => {
  assert.deepEqual(playReveal(7000), [["conflict", STEPS.picks], ["win", STEPS.lines], ["token", 4600]]);
});

test("a turn that is taken back stops the rest of its reveal", () => {
  assert.deepEqual(playReveal(3000), [["conflict", STEPS.picks]]);
});
