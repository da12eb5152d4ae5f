import type { Board } from "../protocol";
import { COLUMN_NUMBER, HOLE, PLINTH, boardHeight, boardWidth, cells, centerY, optionName, ownerAt, columnPitch, columnX } from "./geometry";

export function FrontGradients() {
  return (
    <defs>
      <linearGradient id="lacquer" x2="0.35" y2="1">
        <stop offset="0" stop-color="#30427e" />
        <stop offset="0.4" stop-color="#1f2d58" />
        <stop offset="1" stop-color="#141d3b" />
      </linearGradient>
      <linearGradient id="brass" x2="0.4" y2="1">
        <stop offset="0" stop-color="#f6dfaa" />
        <stop offset="0.4" stop-color="#d9b36c" />
        <stop offset="1" stop-color="#a87f3f" />
      </linearGradient>
      <linearGradient id="hole-edge" x2="1" y2="1">
        <stop offset="0.2" stop-color="#060a18" />
        <stop offset="1" stop-color="#5468a8" />
      </linearGradient>
    </defs>
  );
}

/** The front with its holes, and the plinth. */
export function FrontPanel({ board }: { board: Board }) {
  const [width, height] = [boardWidth(board), boardHeight(board)];
  const holes = cells(board).map(([column, row]) => hole(columnX(column, board, false), centerY(row, board.rows)));
  const foot = height - PLINTH;
  return (
    <>
      <path d={panel(width, height) + holes.join("")} fill="url(#lacquer)" fill-rule="evenodd" />
      <path d={`M3 ${foot} H${width - 3} V${height - 26} a23 23 0 0 1 -23 23 H26 a23 23 0 0 1 -23 -23 Z`} fill="#0b1126" fill-opacity="0.55" />
      <path d={`M5 ${foot} H${width - 5}`} stroke="#d9b36c" stroke-opacity="0.55" stroke-width="2" />
      <rect x="3" y="3" width={width - 6} height={height - 6} rx="26" fill="none" stroke="url(#brass)" stroke-width="6" />
      <rect x="11" y="11" width={width - 22} height={height - 22} rx="19" fill="none" stroke="#d9b36c" stroke-opacity="0.28" stroke-width="1.5" />
    </>
  );
}

function panel(width: number, height: number): string {
  return `M26 3 H${width - 26} a23 23 0 0 1 23 23 V${height - 26} a23 23 0 0 1 -23 23 H26 a23 23 0 0 1 -23 -23 V26 a23 23 0 0 1 23 -23 Z`;
}

function hole(x: number, y: number): string {
  return `M${x - HOLE} ${y} a${HOLE} ${HOLE} 0 1 0 ${2 * HOLE} 0 a${HOLE} ${HOLE} 0 1 0 ${-2 * HOLE} 0 Z`;
}

/** The labels of the choices, below the board. */
export function ColumnLabels({ board, back }: { board: Board; back: boolean }) {
  const columns = Array.from({ length: board.columns }, (_, index) => index + 1);
  return <>{columns.map((column) => <ColumnLabel key={column} column={column} board={board} back={back} />)}</>;
}

function ColumnLabel({ column, board, back }: { column: number; board: Board; back: boolean }) {
  const full = ownerAt(board, [column, board.rows]) !== "none";
  const y = boardHeight(board) - PLINTH / 2 - 4;
  const [name, width] = [optionName(board, column), columnPitch(board) - 26];
  const size = Math.min(COLUMN_NUMBER, (width * 1.7) / name.length);
  return (
    <g class="plate" data-full={full} transform={`translate(${columnX(column, board, back)} ${y})`}>
      <rect x={-width / 2} y="-33" width={width} height="66" rx="9" fill="url(#brass)" />
      <text y={size * 0.344} text-anchor="middle" font-size={size}>{name}</text>
    </g>
  );
}
