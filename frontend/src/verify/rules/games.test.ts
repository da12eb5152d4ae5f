import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import type { JsonObject } from "../json";
import { SIDES, type Move, type Result } from "../record";
import { GAMES } from "./games";
import { permutation } from "./goofspiel";
import type { Position } from "./position";

interface Playthrough {
  name?: string;
  game: string;
  options: JsonObject;
  turns: { [side in "red" | "yellow"]?: number | null }[];
  result?: Result;
  expect?: { result: Result; grid: string[]; token?: string; winning_cells: number[][]; losing_cells: number[][]; error?: { turn: number } };
}

/** Options that the recorded playthroughs leave out. */
const DEFAULTS: Record<string, JsonObject> = { trails: { field: "small" }, goofspiel: { prizes: "lot", tie: "waits" } };

const read = (path: string) => readFileSync(`../tests/${path}`, "utf8").trim().split("\n").map((line) => JSON.parse(line) as Playthrough);
const start = ({ game, options }: Playthrough): Position => GAMES.get(game)!({ ...DEFAULTS[game], ...options });
const moveOf = (turn: Playthrough["turns"][number]): Move => ({ red: turn.red ?? null, yellow: turn.yellow ?? null });

/** Plays until a move is illegal; returns the position and the number of that turn. */
function play(through: Playthrough): { position: Position; refused: number | null } {
  let position = start(through);
  for (const [index, turn] of through.turns.entries()) {
    const move = moveOf(turn);
    const legal = SIDES.every((side) => move[side] === null || (position.toMove.includes(side) && position.legal(side).includes(move[side]!)));
    if (!legal || !position.toMove.length) return { position, refused: index + 1 };
    position = position.play(move);
  }
  return { position, refused: null };
}

for (const file of ["rules.ndjson", "games/single_selector.ndjson"]) {
  for (const through of read(file)) {
    test(`${file}: ${through.name}`, () => {
      const { position, refused } = play(through);
      const { result, grid, token, winning_cells, losing_cells, error } = through.expect!;
      assert.equal(position.result, result);
      assert.deepEqual(position.board!.grid, grid);
      assert.equal(position.board!.token, token ?? null);
      assert.deepEqual([...position.board!.winning_cells].map(String).sort(), winning_cells.map(String).sort());
      assert.deepEqual([...position.board!.losing_cells].map(String).sort(), losing_cells.map(String).sort());
      assert.equal(refused, error?.turn ?? null);
    });
  }
}

for (const [index, through] of read("games/golden.ndjson").entries()) {
  test(`golden.ndjson: playthrough ${index + 1} of ${through.game}`, () => {
    const { position, refused } = play(through);
    assert.equal(position.result, through.result);
    assert.equal(refused, null);
  });
}

test("permutations are numbered in lexicographic order", () => {
  const all = Array.from({ length: 6 }, (_, number) => permutation(3, number).join(""));
  assert.deepEqual(all, ["123", "132", "213", "231", "312", "321"]);
});

test("Goofspiel's prizes are in the order of the options", () => {
  const ordered = (prizes: string, order: number[]) => () => GAMES.get("goofspiel")!({ cards: 3, tie: "waits", prizes, order });
  for (const order of [[1, 2, 3], [3, 1, 2]]) assert.doesNotThrow(ordered("lot", order));
  assert.doesNotThrow(ordered("rising", [1, 2, 3]));
  assert.doesNotThrow(ordered("falling", [3, 2, 1]));
  for (const prizes of ["rising", "falling"]) assert.throws(ordered(prizes, [3, 1, 2]));
});
