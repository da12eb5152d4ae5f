import { Ball, BallGradients } from "../../board/Ball";
import { boardHeight, boardWidth, centerY, columnX, ownerAt } from "../../board/geometry";
import type { Board } from "../../protocol";
import type { StageView } from "../scene/stageView";

/** In the board before the decisive mistake: the ball that was dropped, with a cross, and where the better one would have been. */
export function MistakeMarks({ view: { scene, back } }: { view: StageView }) {
  const mistake = scene.recap?.mistake;
  if (!mistake) return null;
  const { board, verdict: { side, column, held } } = mistake;
  const at = (chosen: number) => `translate(${columnX(chosen, board, back)} ${centerY(landingRow(board, chosen), board.rows)})`;
  return (
    <svg class="mistake" viewBox={`0 0 ${boardWidth(board)} ${boardHeight(board)}`} aria-hidden="true">
      <BallGradients />
      <g transform={at(column)}><Ball side={side} /><g class="wrong" transform="translate(29 -29)"><circle r="20" /><path d="M-8 -8 L8 8 M8 -8 L-8 8" /></g></g>
      {held !== null && <g class="held" data-side={side} transform={at(held)}><circle r="40" /><path d="M-19 2 L-5 17 L21 -15" /></g>}
    </svg>
  );
}

function landingRow(board: Board, column: number): number {
  let row = 1;
  while (row < board.rows && ownerAt(board, [column, row]) !== "none") row++;
  return row;
}
