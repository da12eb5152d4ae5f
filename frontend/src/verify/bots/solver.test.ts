import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import type { SolverPosition } from "./position";
import { Solver, type Solution } from "./solver";

type StoredAnalysis = Solution & Omit<SolverPosition, "red" | "yellow"> & { readonly red: string; readonly yellow: string };

const FOLDER = "../games/solver";
const weights = new Int16Array(Uint8Array.from(gunzipSync(readFileSync(`${FOLDER}/weights/7-holder.gz`))).buffer);
const stored = readFileSync("../tests/games/solver/analyses.ndjson", "utf8").trim().split("\n").map((line) => JSON.parse(line) as StoredAnalysis);

test("an analysis is as exact as the server's, and the same", () => {
  assert.deepEqual(stored.map(({ isExact }) => isExact).sort(), [false, true]);
  for (const { red, yellow, columns, first, isClassic, reverseTie, ...solution } of stored) {
    const position = { columns, first, isClassic, reverseTie, red: BigInt(`0x${red}`), yellow: BigInt(`0x${yellow}`) };
    const solver = new Solver(new WebAssembly.Module(readFileSync(`${FOLDER}/solver.wasm`)), weights, position);
    assert.deepEqual(solver.analyze(position), solution);
    assert.ok(!solver.solve(position).isExact, "bots search less");
  }
});
