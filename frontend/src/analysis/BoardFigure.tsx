import { Grid } from "../board/Grid";
import { p, t } from "../live/i18n";
import type { Board } from "../protocol";
import { linePosition, type Line } from "./line";

/** The board of a line's position: the last turn is marked, and screen readers hear the columns. */
export function BoardFigure({ line }: { line: Line }) {
  const board = linePosition(line).board!;
  return (
    <figure>
      <Grid board={board} lit={[...board.winning_cells, ...board.losing_cells]} fresh={freshCells(line, board)} />
      <figcaption class="unseen">{describeColumns(board)}</figcaption>
    </figure>
  );
}

/** The cells of the balls that dropped last. */
function freshCells(line: Line, board: Board): (readonly [number, number])[] {
  const before = line.at ? linePosition({ ...line, at: line.at - 1 }).board : null;
  if (!before) return [];
  return board.grid.flatMap((row, fromTop) => [...row].flatMap((cell, column) => (cell !== before.grid[fromTop]![column] ? [[column + 1, board.rows - fromTop] as const] : [])));
}

/** The balls of each column, from the bottom. */
function describeColumns({ grid, columns }: Board): string {
  const names: Readonly<Record<string, string>> = { R: p("color of a ball", "red"), Y: p("color of a ball", "yellow") };
  const balls = (index: number) => [...grid].reverse().flatMap((row) => names[row[index]!] ?? []).join(", ");
  return Array.from({ length: columns }, (_, index) => t("Column %(column)s: %(balls)s.", { column: index + 1, balls: balls(index) || p("column of a board", "empty") })).join(" ");
}
