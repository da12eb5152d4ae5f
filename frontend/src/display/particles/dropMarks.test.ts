import assert from "node:assert/strict";
import test from "node:test";
import { markedTime, withDrop, type MarkedDrop } from "./dropMarks";
import { particlePlace } from "./particlePlace";
import type { ParticleTeam } from "./particleTeams";

const DROP: MarkedDrop = { type: "drop.shown", turn: 1, side: "red", column: 2, rank: 0, symbol: 3, at: 1000 };
/** Two columns of 3 and 6 particles, two in a row. */
const TEAM = {
  ranks: [0, 3, 9], piles: [{ left: 100, height: 20 }, { left: 200, height: 30 }], wide: 2, barWidth: 10, barFloor: 500,
} as unknown as ParticleTeam;

test("at most twelve drops of one turn are marked", () => {
  let marked: readonly MarkedDrop[] = [];
  for (let rank = 0; rank < 20; rank++) marked = withDrop(marked, { ...DROP, rank });
  assert.deepEqual(marked.map(({ rank }) => rank), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual(withDrop(marked, { ...DROP, turn: 2 }).map(({ turn }) => turn), [2]);
});

test("a mark appears with the piles and stays for two seconds after they are complete", () => {
  assert.deepEqual(markedTime(DROP, 1500, 3000), [1500, 5000]);
  assert.deepEqual(markedTime({ ...DROP, at: 4000 }, 1500, 3000), [4000, 6000]);
});

test("every ballot lies in its column's pile, in rows from below", () => {
  const places = [0, 1, 2, 3, 4, 5].map((rank) => particlePlace(TEAM, 2, rank, 6));
  assert.deepEqual(places, [
    { x: 202.5, y: 495 }, { x: 207.5, y: 495 }, { x: 202.5, y: 485 }, { x: 207.5, y: 485 }, { x: 202.5, y: 475 }, { x: 207.5, y: 475 },
  ]);
  assert.deepEqual(particlePlace(TEAM, 1, 2, 3), { x: 105, y: 485 }, "the last row is centered");
});

test("if a particle stands for several ballots, they share its place", () => {
  assert.deepEqual(particlePlace(TEAM, 2, 59, 60), particlePlace(TEAM, 2, 5, 6));
  assert.deepEqual(particlePlace(TEAM, 2, 10, 60), particlePlace(TEAM, 2, 1, 6));
});

test("a ballot without a pile has no place", () => {
  assert.equal(particlePlace(TEAM, 3, 0, 1), null);
  assert.equal(particlePlace(TEAM, 2, 6, 6), null);
});
