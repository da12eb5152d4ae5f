import type { Board, Drop, Resolution } from "../protocol";

/** The board before a turn was resolved. */
export function boardBefore(board: Board, { drops, before }: Resolution): Board {
  return before ? { ...board, drawing: before } : withoutDrops(board, drops);
}

/** The board without `drops`, and without any lines. */
export function withoutDrops(board: Board, drops: readonly Drop[]): Board {
  const grid = board.grid.map((line) => [...line]);
  for (const { column, row } of drops) {
    const line = row === null ? undefined : grid[board.rows - row];
    if (line) line[column - 1] = ".";
  }
  return { ...board, grid: grid.map((line) => line.join("")), winning_cells: [], losing_cells: [] };
}
