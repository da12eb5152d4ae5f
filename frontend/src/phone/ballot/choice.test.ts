import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { Match } from "../../protocol";
import { choiceName, choiceColumns, columnFigure, toggleColumn, isResignation, request, toggleRequest } from "./choice";
import { DRAW, RESIGN } from "./encoding";

const by = (tally_method: Match["tally_method"], resign: Match["resign"] = null) => ({ tally_method, resign }) as Match;
const APPROVAL = by("approval");
const RANKING = by("instant_runoff");
const SCORE = by("score");
const PLURALITY = by("plurality", "half");
const presses = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });
const after = (columns: readonly number[], match: Match) => columns.reduce<number | null>((choice, column) => toggleColumn(choice, column, match), null)!;

test("choices are encoded as the server decodes them", () => {
  assert.deepEqual([after([2, 5], APPROVAL), after([5, 2], RANKING), after([7], APPROVAL), after([7], RANKING)], [536870930, 517, 7, 7]);
  assert.deepEqual(choiceColumns(536870930, APPROVAL), [2, 5]);
  assert.deepEqual([517, 2 ** 30 + 517, null].map((choice) => choiceColumns(choice, RANKING)), [[5, 2], [5, 2], []]);
  assert.deepEqual(choiceColumns(2 ** 29 + 2 ** 28 + 1, APPROVAL), [1, 29]);
});

test("a tap adds or removes a column, but never the last one", () => {
  fc.assert(
    fc.property(presses, (columns) => {
      const held = new Set<number>();
      for (const column of columns) if (!held.has(column)) held.add(column);
        else if (held.size > 1) held.delete(column);
      assert.deepEqual(choiceColumns(after(columns, APPROVAL), APPROVAL), [...held].sort((one, other) => one - other));
    }),
  );
});

test("a ranking follows the order of taps, and a fourth replaces the last", () => {
  assert.deepEqual(choiceColumns(after([5, 2, 7, 1], RANKING), RANKING), [5, 2, 1]);
  assert.deepEqual(choiceColumns(after([5, 2, 7, 5], RANKING), RANKING), [2, 7]);
  assert.deepEqual(choiceColumns(after([5, 5], RANKING), RANKING), [5]);
  assert.deepEqual([1, 2, 5].map((column) => columnFigure(RANKING, after([5, 2], RANKING), column)), [0, 2, 1]);
  assert.equal(columnFigure(APPROVAL, after([5, 2], APPROVAL), 5), 0);
  fc.assert(fc.property(presses, (columns) => choiceColumns(after(columns, RANKING), RANKING).length <= 3));
});

test("each tap adds a point, and the sixth takes them all", () => {
  assert.deepEqual([after([4], SCORE), after([1, 3, 1], SCORE), after([1, 1, 1, 1, 3, 3, 3, 3, 3], SCORE)], [4, 2 ** 29 + 2 + 36, 2 ** 29 + 4 + 180]);
  assert.equal(after([2, 1, 1, 1, 1, 1, 1], SCORE), 2);
  assert.equal(after([3, 3, 3, 3, 3, 3], SCORE), 3, "the last column keeps a point");
  assert.deepEqual([1, 2, 3].map((column) => columnFigure(SCORE, after([3, 1, 3], SCORE), column)), [1, 0, 2]);
  assert.equal(choiceName(on(SCORE, []), after([3, 1, 3], SCORE)), "1, 3 ×2");
  fc.assert(
    fc.property(presses, (columns) => {
      const points = new Map<number, number>();
      for (const column of columns) {
        const left = ((points.get(column) ?? 0) + 1) % 6;
        points.set(column, left || +[...points].every(([other, given]) => other === column || !given));
      }
      const choice = after(columns, SCORE);
      for (const [column, given] of points) assert.equal(columnFigure(SCORE, choice, column), given);
    }),
  );
});

test("with plurality the next tap replaces the column", () => {
  assert.equal(after([3, 3, 6], PLURALITY), 6);
});

test("a request stays with every change until it is withdrawn", () => {
  for (const match of [PLURALITY, APPROVAL, RANKING, SCORE]) {
    const wish = toggleRequest(after([3, 4], match), RESIGN);
    assert.ok(isResignation(wish));
    assert.ok(isResignation(toggleColumn(wish, 6, match)));
    assert.equal(toggleRequest(wish, RESIGN), after([3, 4], match));
    const draw = toggleRequest(wish, DRAW);
    assert.equal(request(toggleColumn(draw, 6, match)), DRAW);
    assert.ok(!isResignation(draw));
    assert.equal(toggleRequest(draw, DRAW), after([3, 4], match));
  }
});

const on = (match: Match, choices: readonly string[]) => ({ ...match, board: { choices } }) as Match;

test("columns have the board's names", () => {
  assert.equal(choiceName(on(RANKING, []), after([5, 2], RANKING)), "5, 2");
  assert.equal(choiceName(on(APPROVAL, ["up", "down"]), after([2, 1], APPROVAL)), "up, down");
});
