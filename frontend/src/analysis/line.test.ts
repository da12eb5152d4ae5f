import assert from "node:assert/strict";
import test from "node:test";
import { mirrored, exchanged, readSolverPosition } from "../verify/bots/position";
import { GAMES } from "../verify/rules/games";
import { leavesAt, linePosition, returnToPlayed, startLine, stepTo, tryMove } from "./line";
import { isWithheld } from "./withheld";

const start = GAMES.get("simultaneous-captains-mistress")!({ columns: 7, rows: 6, token: "red", tie: "holder" });
const move = (red: number, yellow: number) => ({ red, yellow });
const PLAYED = [move(1, 2), move(1, 3), move(4, 4)];
const line = startLine(start, PLAYED, 1);
const solvable = (at: number) => readSolverPosition(linePosition(startLine(start, PLAYED, at)), "holder")!;

test("a line leaves what was played only where its moves differ, and returns there", () => {
  assert.equal(leavesAt(line), null);
  const off = tryMove(tryMove(line, move(5, 5)), move(6, 6));
  assert.deepEqual([leavesAt(off), off.at, leavesAt(stepTo(off, 1))], [1, 3, null]);
  assert.equal(linePosition(off).board!.grid.join("").replace(/\W/g, "").length, 6);
  assert.deepEqual(stepTo(off, 1).moves, off.moves, "stepping back keeps the tried moves");
  const back = returnToPlayed(off);
  assert.deepEqual([back.at, back.moves], [1, PLAYED]);
});

test("playing the turn of the match continues the match", () => {
  assert.deepEqual(tryMove(line, PLAYED[1]!).moves, PLAYED);
  assert.deepEqual(tryMove(stepTo(tryMove(line, move(5, 5)), 1), PLAYED[1]!).moves, PLAYED);
  assert.equal(stepTo(line, 9).at, PLAYED.length);
});

test("the live position, what follows from it, and their images are withheld, and nothing else", () => {
  const live = solvable(2);
  const images = [live, mirrored(live), exchanged(live), exchanged(mirrored(live))];
  for (const image of images) assert.deepEqual([0, 1, 2, 3].map((at) => isWithheld(solvable(at), image)), [false, false, true, true]);
  assert.equal(isWithheld(solvable(3), null), false);
  const other = readSolverPosition(linePosition(startLine(start, [move(7, 1), move(7, 1)], 2)), "holder")!;
  assert.equal(isWithheld(other, live), false);
  assert.ok(isWithheld(solvable(1), solvable(0)), "everything follows from the opening");
});
