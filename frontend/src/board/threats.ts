import type { Board, Side } from "../protocol";

const LINE = 4;
const STEPS = [[1, 0], [0, 1], [1, 1], [1, -1]] as const;
const LETTERS: Record<Side, string> = { red: "R", yellow: "Y" };

/** The columns in which one more ball of `side` completes a line of four. */
export function threats(board: Board, side: Side): number[] {
  const found: number[] = [];
  for (let column = 1; column <= board.columns; column++) {
    const row = landingRow(board, column);
    if (row !== null && makesLine(board, column, row, LETTERS[side])) found.push(column);
  }
  return found;
}

/** Win detection: whether `side` has four in a row, even if the other side won with its own line. */
export function hasLine(board: Board, side: Side): boolean {
  const own = LETTERS[side];
  return board.grid.some((line, fromTop) =>
    [...line].some((mark, index) => mark === own && makesLine(board, index + 1, board.rows - fromTop, own)),
  );
}

function landingRow(board: Board, column: number): number | null {
  for (let row = 1; row <= board.rows; row++) if (cellAt(board, column, row) === ".") return row;
  return null;
}

function cellAt(board: Board, column: number, row: number): string {
  return board.grid[board.rows - row]?.[column - 1] ?? "";
}

function makesLine(board: Board, column: number, row: number, own: string): boolean {
  const reach = (dc: number, dr: number): number => {
    let n = 1;
    while (cellAt(board, column + n * dc, row + n * dr) === own) n++;
    return n - 1;
  };
  return STEPS.some(([dc, dr]) => 1 + reach(dc, dr) + reach(-dc, -dr) >= LINE);
}
