import type { Board } from "../protocol";

/** Units of a board drawing: a cell is 100 × 100, with the origin at the upper left corner. */
export const PITCH = 100;
export const PAD = 22;
export const PLINTH = 84;
export const HOLE = 42;
export const BALL = 44;
/** The font size of column numbers. */
export const COLUMN_NUMBER = 75;

export type Cell = readonly [column: number, row: number];

/** The grid size whose frame surrounds a drawn board. */
const DRAWING_SIZE = { columns: 7, rows: 6 };

type Size = Pick<Board, "kind" | "columns" | "rows">;

export function boardWidth({ kind, columns }: Size): number {
  return (kind === "drawn" ? DRAWING_SIZE.columns : columns) * PITCH + 2 * PAD;
}

export function boardHeight({ kind, rows }: Size): number {
  return (kind === "drawn" ? DRAWING_SIZE.rows : rows) * PITCH + 2 * PAD + PLINTH;
}

/** The width of a column, or of an equal share of a drawn board's width. */
export function columnPitch(board: Size): number {
  return (boardWidth(board) - 2 * PAD) / board.columns;
}

/** The y coordinate of a row's center. Rows count from 1 at the bottom; a row above the top one lies above the rim. */
export function centerY(row: number, rows: number): number {
  return PAD + (rows - row + 0.5) * PITCH;
}

/** The x coordinate of a column. Seen from behind (`back`), the order is mirrored and the numbers are kept. */
export function columnX(column: number, board: Size, back: boolean): number {
  const mirrored = back && board.kind !== "drawn";
  return PAD + ((mirrored ? board.columns + 1 - column : column) - 0.5) * columnPitch(board);
}

/** The label of an action. */
export function optionName({ choices }: Pick<Board, "choices">, action: number): string {
  return choices[action - 1] ?? `${action}`;
}

export type Owner = "red" | "yellow" | "none";

const OWNERS: Record<string, Owner> = { R: "red", Y: "yellow" };

export function ownerAt(board: Board, [column, row]: Cell): Owner {
  const mark = board.grid[board.rows - row]?.[column - 1] ?? ".";
  return OWNERS[mark] ?? "none";
}

/** All cells, from the bottom row up. */
export function cells(board: Board): Cell[] {
  const all: Cell[] = [];
  for (let row = 1; row <= board.rows; row++)
    for (let column = 1; column <= board.columns; column++) all.push([column, row]);
  return all;
}
