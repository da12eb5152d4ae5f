import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { stacked } from "../display/fixtures";
import type { Drop, Side } from "../protocol";
import { withoutDrops } from "./boardBefore";
import { hasLine, threats } from "./threats";

const [COLUMNS, ROWS] = [7, 6];
const LETTERS: Record<Side, string> = { red: "R", yellow: "Y" };

const stacks = fc.array(fc.string({ unit: fc.constantFrom("R", "Y"), maxLength: ROWS }), { minLength: COLUMNS, maxLength: COLUMNS });
const sides: readonly Side[] = ["red", "yellow"];

test("threats are exactly the columns whose next ball completes a line", () => {
  fc.assert(
    fc.property(stacks, fc.constantFrom(...sides), (columns, side) => {
      const board = stacked(columns);
      fc.pre(!hasLine(board, side));
      const making = columns.flatMap((stack, index) => {
        const grown = columns.map((each, at) => (at === index ? each + LETTERS[side] : each));
        return stack.length < ROWS && hasLine(stacked(grown), side) ? [index + 1] : [];
      });
      assert.deepEqual(threats(board, side), making);
    }),
  );
});

test("three in a row are a threat only if the missing cell can be filled next", () => {
  assert.deepEqual(threats(stacked(["R", "R", "", "R", "", "", ""]), "red"), [3]);
  assert.deepEqual(threats(stacked(["YR", "YR", "", "YR", "", "", ""]), "red"), []);
  assert.deepEqual(threats(stacked(["", "R", "R", "R", "", "", ""]), "red"), [1, 5]);
  assert.deepEqual(threats(stacked(["", "R", "R", "", "", "", ""]), "red"), []);
});

test("withoutDrops returns the board before the drops", () => {
  const after = stacked(["RR", "Y", "", "", "", "", ""]);
  const drops: Drop[] = [{ side: "red", column: 1, row: 2 }, { side: "yellow", column: 2, row: 1 }];
  assert.deepEqual(withoutDrops(after, drops).grid, stacked(["R", "", "", "", "", "", ""]).grid);
});
