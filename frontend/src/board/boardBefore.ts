import type { Board, Drop, Resolution } from "../protocol";

/** The board as it stood before a turn was resolved. */
export function boardBefore(board: Board, { drops, before }: Resolution): Board {
  return before ? { ...board, drawing: before } : withoutDrops(board, drops);
}

/** The board as it stood before `drops`, and before any line was seen in it. */
export function withoutDrops(board: Board, drops: readonly Drop[]): Board {
  const grid = board.grid.map((line) => [...line]);
  for (const { column, row } of drops) {
    const line = row === null ? undefined : grid[board.rows - row];
    if (line) line[column - 1] = ".";
  }
  return { ...board, grid: grid.map((line) => line.join("")), winning_cells: [] };
}
