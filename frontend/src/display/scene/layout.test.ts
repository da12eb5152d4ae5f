import assert from "node:assert/strict";
import test from "node:test";
import { COLUMN_NUMBER, boardHeight, boardWidth } from "../../board/geometry";
import { REVEAL_SCALE, boardScale, footerLayout, openVoteScale, stageLift } from "./layout";

const LONGEST = "x".repeat(140);
const NORMAL = { wide: 1920, narrow: 1440 };
const READS_FROM_AFAR = 54;

const USUAL = { kind: "columns", columns: 7, rows: 6 } as const;

test("the footer is unchanged without a notice", () => {
  assert.deepEqual(footerLayout("", NORMAL.wide, false), { lines: 0, noticeHeight: 0, footerHeight: 88 });
  assert.equal(stageLift(footerLayout("", NORMAL.wide, false), false), 0);
  assert.equal(stageLift(footerLayout("", NORMAL.wide, true), true), 0);
});

for (const width of Object.values(NORMAL)) {
  test(`column numbers stay readable from afar with the longest notice, ${width} wide`, () => {
    const foot = footerLayout(LONGEST, width, false);
    const board = { width: boardWidth(USUAL), height: boardHeight(USUAL) };
    const full = boardScale(width, stageLift(foot, false), board);
    for (const scale of [full, full * REVEAL_SCALE, openVoteScale(full), openVoteScale(boardScale(width, 0, board))])
      assert.ok(COLUMN_NUMBER * scale >= READS_FROM_AFAR);
  });
}

test("a third notice line replaces the footer, except in the lobby", () => {
  assert.deepEqual(footerLayout(LONGEST, NORMAL.narrow, false), { lines: 3, noticeHeight: 206, footerHeight: 0 });
  assert.ok(footerLayout(LONGEST, NORMAL.narrow, true).footerHeight > 0);
});
