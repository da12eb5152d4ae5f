import type { Board, Drop } from "../protocol";

/** The board as it stood before `drops`, and before any line was seen in it. */
export function without(board: Board, drops: readonly Drop[]): Board {
  const grid = board.grid.map((line) => [...line]);
  for (const { column, row } of drops) {
    const line = row === null ? undefined : grid[board.rows - row];
    if (line) line[column - 1] = ".";
  }
  return { ...board, grid: grid.map((line) => line.join("")), winning_cells: [] };
}
