import type { Board } from "../protocol";

/** The cabinet's own units: a cell is 100 wide and high, the origin is its upper left corner. */
export const PITCH = 100;
export const PAD = 22;
export const PLINTH = 84;
export const HOLE = 42;
export const BALL = 44;

export type Cell = readonly [column: number, row: number];

/** A drawing stands in a cabinet of this size. */
const DRAWING_SIZE = { columns: 7, rows: 6 };

type Size = Pick<Board, "face" | "columns" | "rows">;

export function cabinetWidth({ face, columns }: Size): number {
  return (face === "drawn" ? DRAWING_SIZE.columns : columns) * PITCH + 2 * PAD;
}

export function cabinetHeight({ face, rows }: Size): number {
  return (face === "drawn" ? DRAWING_SIZE.rows : rows) * PITCH + 2 * PAD + PLINTH;
}

/** How wide a column is, or what stands for one under a drawing. */
export function columnPitch(board: Size): number {
  return (cabinetWidth(board) - 2 * PAD) / board.columns;
}

/** Rows count from 1, from the bottom; a row above the top lies over the rim. */
export function centerY(row: number, rows: number): number {
  return PAD + (rows - row + 0.5) * PITCH;
}

/** Where a column stands: whoever looks from behind sees the first one last, under the same number. */
export function columnX(column: number, board: Size, back: boolean): number {
  const mirrored = back && board.face !== "drawn";
  return PAD + ((mirrored ? board.columns + 1 - column : column) - 0.5) * columnPitch(board);
}

/** What an action is called where it is shown. */
export function optionName({ choices }: Pick<Board, "choices">, action: number): string {
  return choices[action - 1] ?? `${action}`;
}

export type Owner = "red" | "yellow" | "none";

const OWNERS: Record<string, Owner> = { R: "red", Y: "yellow" };

export function ownerAt(board: Board, [column, row]: Cell): Owner {
  const mark = board.grid[board.rows - row]?.[column - 1] ?? ".";
  return OWNERS[mark] ?? "none";
}

/** Every cell, from the bottom row up. */
export function cells(board: Board): Cell[] {
  const all: Cell[] = [];
  for (let row = 1; row <= board.rows; row++)
    for (let column = 1; column <= board.columns; column++) all.push([column, row]);
  return all;
}
