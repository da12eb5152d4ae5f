import type { Board } from "../protocol";

/** The cabinet's own units: a cell is 100 wide and high, the origin is its upper left corner. */
export const PITCH = 100;
export const PAD = 22;
export const PLINTH = 84;
export const HOLE = 42;
export const BALL = 44;

export type Cell = readonly [column: number, row: number];

export function cabinetWidth(columns: number): number {
  return columns * PITCH + 2 * PAD;
}

export function cabinetHeight(rows: number): number {
  return rows * PITCH + 2 * PAD + PLINTH;
}

/** Columns and rows count from 1, rows from the bottom; a row above the top lies over the rim. */
export function centreX(column: number): number {
  return PAD + (column - 0.5) * PITCH;
}

export function centreY(row: number, rows: number): number {
  return PAD + (rows - row + 0.5) * PITCH;
}

/** Where a column stands: whoever looks from behind sees the first one last, under the same number. */
export function slotX(column: number, columns: number, back: boolean): number {
  return centreX(back ? columns + 1 - column : column);
}

export type Owner = "red" | "yellow" | "none";

const OWNERS: Record<string, Owner> = { R: "red", Y: "yellow" };

export function ownerAt(board: Board, [column, row]: Cell): Owner {
  const letter = board.grid[board.rows - row]?.[column - 1] ?? ".";
  return OWNERS[letter] ?? "none";
}

/** Every cell, from the bottom row up. */
export function cells(board: Board): Cell[] {
  const all: Cell[] = [];
  for (let row = 1; row <= board.rows; row++)
    for (let column = 1; column <= board.columns; column++) all.push([column, row]);
  return all;
}
