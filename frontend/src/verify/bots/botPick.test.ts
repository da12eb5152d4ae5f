import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import type { JsonObject } from "../json";
import type { Move, Side } from "../record";
import { GAMES } from "../rules/games";
import { recomputePick, weighColumns } from "./botPick";
import { readSolverPosition, type SolverPosition } from "./position";
import { Solver } from "./solver";

interface FixedPick {
  readonly game: string;
  readonly options: JsonObject;
  readonly turns: readonly Partial<Move>[];
  readonly side: Side;
  readonly strength: number;
  readonly seed: string;
  readonly pick: number;
  /** Of the columns; empty if they aren't compared. */
  readonly weights: readonly number[];
}

const SOLVER = "../games/solver";
const program = new WebAssembly.Module(readFileSync(`${SOLVER}/solver.wasm`));
const solvers = new Map<string, Solver>();

function findSolver(position: SolverPosition): Solver {
  const name = `${position.columns}-${position.reverseTie ? "other" : "holder"}`;
  const file = gunzipSync(readFileSync(`${SOLVER}/weights/${name}.gz`));
  const solver = solvers.get(name) ?? new Solver(program, new Int16Array(Uint8Array.from(file).buffer), position);
  solvers.set(name, solver);
  return solver;
}

const picks = readFileSync("../tests/games/bots/picks.ndjson", "utf8").trim().split("\n").map((line) => JSON.parse(line) as FixedPick);

for (const strength of [1, 2, 3, 4, 5]) {
  test(`each pick of strength ${strength} is the one that the server computes`, () => {
    for (const fixed of picks.filter((pick) => pick.strength === strength)) {
      const { game, options, turns, side, weights } = fixed;
      const state = turns.reduce((position, { red = null, yellow = null }) => position.play({ red, yellow }), GAMES.get(game)!(options));
      const position = readSolverPosition(state, options.tie);
      const solver = position && findSolver(position);
      assert.equal(recomputePick({ ...fixed, legal: state.legal(side), position }, solver), fixed.pick);
      const recomputed = weights.length ? weighColumns(position!, fixed, solver!) : [];
      assert.ok(recomputed.length === weights.length && recomputed.every((weight, column) => Math.abs(weight - weights[column]!) <= 1), `${recomputed}`);
    }
  });
}
