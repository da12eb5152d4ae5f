import { t } from "../live/i18n";
import type { Board, Drawing, Mark } from "../protocol";
import { Ball, BallGradients } from "./Ball";
import { FrontGradients, FrontPanel, ColumnLabels } from "./GridFrame";
import { BALL, PAD, PLINTH, boardHeight, boardWidth } from "./geometry";
import "./drawnBoard.css";

/** A board drawn by its game (not a grid), in the cabinet's frame, above the labels of the choices. */
export function DrawnBoard({ board }: { board: Board }) {
  const [width, height] = [boardWidth(board), boardHeight(board)];
  return (
    <svg class="cabinet" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t("The board")}>
      <BallGradients />
      <FrontGradients />
      <FrontPanel board={board} />
      <svg x={PAD} y={PAD} width={width - 2 * PAD} height={height - 2 * PAD - PLINTH} viewBox={drawingViewBox(board.drawing)}>
        {board.drawing?.marks.map((mark) => <MarkView key={mark.name} mark={mark} />)}
      </svg>
      <ColumnLabels board={board} back={false} />
    </svg>
  );
}

function drawingViewBox(drawing: Drawing | null | undefined): string {
  return `0 0 ${drawing?.width ?? 1} ${drawing?.height ?? 1}`;
}

/** Keyed by the mark's name, so that the element is kept and moves to its next place. */
function MarkView({ mark }: { mark: Mark }) {
  return (
    <g class="mark" data-kind={mark.kind} data-side={mark.side} data-lit={mark.lit} data-gone={mark.gone} style={{ transform: `translate(${mark.x}px, ${mark.y}px)` }}>
      <MarkShape mark={mark} />
    </g>
  );
}

function MarkShape({ mark }: { mark: Mark }) {
  const { kind, side, width, height, text } = mark;
  if (kind === "ball") return side && <g transform={`scale(${width / (2 * BALL)})`}><Ball side={side} /></g>;
  if (kind === "path") return <polyline points={mark.points.join(" ")} stroke-width={width} />;
  if (kind === "text") return <MarkText text={text} height={height} />;
  return (
    <>
      <rect x={-width / 2} y={-height / 2} width={width} height={height} rx={Math.min(width, height) / 8} />
      {kind === "card" && side && <g transform={`translate(${width * 0.3} ${height * 0.34}) scale(${width / 360})`}><Ball side={side} /></g>}
      {text && <MarkText text={text} height={Math.min(height * 0.55, (width * 1.5) / text.length)} />}
    </>
  );
}

function MarkText({ text, height }: { text: string; height: number }) {
  return <text font-size={height} y={height * 0.35} text-anchor="middle">{text}</text>;
}
