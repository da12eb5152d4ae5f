import type { Board, Drop, Resolution, Side } from "../../protocol";

/** Columns and rows count from 1; row 1 is at the bottom. */
export interface PlacedBall {
  column: number;
  row: number;
  side: Side;
}

const SIDES: Record<string, Side> = { R: "red", Y: "yellow" };

export function placedBalls(board: Board): PlacedBall[] {
  return board.grid.flatMap((line, fromTop) =>
    [...line].flatMap((mark, index) => {
      const side = SIDES[mark];
      return side ? [{ column: index + 1, row: board.rows - fromTop, side }] : [];
    }),
  );
}

export function isSameCell(drop: Drop, ball: PlacedBall): boolean {
  return drop.column === ball.column && drop.row === ball.row;
}

/** The balls on the board before the resolution's drop number `from` (0: before all drops). */
export function ballsBefore(board: Board, resolution: Resolution, from = 0): PlacedBall[] {
  const later = resolution.drops.slice(from);
  return placedBalls(board).filter((ball) => !later.some((drop) => isSameCell(drop, ball)));
}

export function isOnLine(cells: Board["winning_cells"], ball: PlacedBall): boolean {
  return cells.some(([column, row]) => column === ball.column && row === ball.row);
}

export function otherSide(side: Side): Side {
  return side === "red" ? "yellow" : "red";
}
