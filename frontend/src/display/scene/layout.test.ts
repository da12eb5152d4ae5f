import assert from "node:assert/strict";
import test from "node:test";
import { cabinetHeight, cabinetWidth } from "../../board/geometry";
import { REVEAL_SCALE, cabinetScale, footLayout, stageLift } from "./layout";

const LONGEST = "x".repeat(140);
const NORMAL = { wide: 1920, narrow: 1440 };
const PLATE = 64;
const READS_FROM_AFAR = 54;

const USUAL = { kind: "columns", columns: 7, rows: 6 } as const;

test("the footer is unchanged without a notice", () => {
  assert.deepEqual(footLayout("", NORMAL.wide, false), { lines: 0, plank: 0, line: 88 });
  assert.equal(stageLift(footLayout("", NORMAL.wide, false), false), 0);
  assert.equal(stageLift(footLayout("", NORMAL.wide, true), true), 0);
});

for (const width of Object.values(NORMAL)) {
  test(`column numbers stay readable from afar with the longest notice, ${width} wide`, () => {
    const foot = footLayout(LONGEST, width, false);
    const cabinet = { width: cabinetWidth(USUAL), height: cabinetHeight(USUAL) };
    assert.ok(PLATE * cabinetScale(width, stageLift(foot, false), cabinet) >= READS_FROM_AFAR);
    assert.ok(PLATE * REVEAL_SCALE * cabinetScale(width, 0, cabinet) >= READS_FROM_AFAR);
  });
}

test("a third notice line replaces the footer, except in the lobby", () => {
  assert.deepEqual(footLayout(LONGEST, NORMAL.narrow, false), { lines: 3, plank: 206, line: 0 });
  assert.ok(footLayout(LONGEST, NORMAL.narrow, true).line > 0);
});
