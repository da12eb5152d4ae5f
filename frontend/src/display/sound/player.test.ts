import assert from "node:assert/strict";
import test from "node:test";
import { NOW, makeEvent, makeMatch, makeTurn } from "../fixtures";
import { sceneAt } from "../scene/scene";
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

test("the last seconds tick, and the deadline rings once", () => {
  const sounds = play([14_000, levels(0, 10)], [15_000, levels(0, 10)], [15_100, levels(0, 10)], [16_000, levels(0, 10)], [20_000, levels(0, 10)], [20_400, levels(0, 10)]);
  assert.deepEqual(sounds.filter((sound) => !sound.startsWith("bed")), ["tick", "tick", "seal"]);
});

test("a pause stops the bed", () => {
  assert.deepEqual(play([0, levels(5, 10)], [100, levels(5, 10), {}, true]), ["bed 0.40", "bed 0.00"]);
});

test("before the reveal, sounds know only what the turnout bars show", () => {
  const turnout = (voted: readonly [number, number]) => ({ turnout: { type: "turnout.counted", turn: TURN.id, connected: [60, 60], voted } }) as unknown as Partial<StageView>;
  const counts = (counts: readonly number[]) => ({ counts: { type: "team.counted", turn: TURN.id, counts } }) as unknown as Partial<StageView>;
  const heard = [{}, turnout([3, 4]), turnout([60, 60]), counts([60, 0, 0, 0, 0, 0, 0]), counts([9, 8, 9, 8, 9, 8, 9])].map((more) =>
    play([0, levels(0, 10), more], [1000, levels(4, 10), more], [17_000, levels(9, 10), more], [20_000, levels(9, 10), more]),
  );
  for (const sounds of heard) assert.deepEqual(sounds, heard[0]);
});
