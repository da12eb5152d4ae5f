import type { ComponentChildren } from "preact";
import type { Board } from "../protocol";
import { Ball, EnamelDefs } from "./Ball";
import {
  BALL, HOLE, PAD, PITCH, PLINTH, cabinetHeight, cabinetWidth, cells, centreX, centreY, ownerAt, type Cell,
} from "./geometry";
import "./board.css";

interface Props {
  board: Board;
  /** Cells to light up; all others step back as soon as there is one. */
  lit?: readonly Cell[];
  /** A column to draw a frame around. */
  framed?: number | null;
  /** Drawn between the back wall and the lacquer: balls on their way down, and what stands on the rim. */
  behind?: ComponentChildren;
}

export function Cabinet({ board, lit = [], framed = null, behind }: Props) {
  const size = { width: cabinetWidth(board.columns), height: cabinetHeight(board.rows) };
  const lights = new Set(lit.map(String));
  return (
    <svg class="cabinet" viewBox={`0 0 ${size.width} ${size.height}`} data-lit={lights.size > 0} role="img" aria-label="The board">
      <EnamelDefs />
      <CabinetDefs />
      <rect x="6" y="6" width={size.width - 12} height={size.height - 12} rx="26" fill="#050812" />
      {cells(board).map((cell) => <Well key={`${cell}`} cell={cell} rows={board.rows} />)}
      {cells(board).map((cell) => <Settled key={`${cell}`} board={board} cell={cell} lit={lights.has(`${cell}`)} />)}
      {behind}
      <Lacquer board={board} {...size} />
      {cells(board).map((cell) => <Rim key={`${cell}`} board={board} cell={cell} lit={lights.has(`${cell}`)} />)}
      {columnsOf(board).map((column) => <Plate key={column} column={column} board={board} />)}
      {framed !== null && <Frame column={framed} height={size.height} />}
    </svg>
  );
}

function columnsOf(board: Board): number[] {
  return Array.from({ length: board.columns }, (_, index) => index + 1);
}

function CabinetDefs() {
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
      <radialGradient id="well" cx="0.62" cy="0.68" r="0.7">
        <stop offset="0" stop-color="#0d1530" />
        <stop offset="1" stop-color="#03050c" />
      </radialGradient>
      <linearGradient id="hole-edge" x2="1" y2="1">
        <stop offset="0.2" stop-color="#060a18" />
        <stop offset="1" stop-color="#5468a8" />
      </linearGradient>
    </defs>
  );
}

function Well({ cell: [column, row], rows }: { cell: Cell; rows: number }) {
  return <circle cx={centreX(column)} cy={centreY(row, rows)} r={HOLE + 3} fill="url(#well)" />;
}

function Settled({ board, cell, lit }: { board: Board; cell: Cell; lit: boolean }) {
  const owner = ownerAt(board, cell);
  if (owner === "none") return null;
  return (
    <g class="settled" data-lit={lit} transform={`translate(${centreX(cell[0])} ${centreY(cell[1], board.rows)})`}>
      <Ball side={owner} />
    </g>
  );
}

function Rim({ board, cell, lit }: { board: Board; cell: Cell; lit: boolean }) {
  const at = { cx: centreX(cell[0]), cy: centreY(cell[1], board.rows) };
  return (
    <>
      <circle {...at} r={HOLE} class="rim" data-cell={`${cell}`} data-owner={ownerAt(board, cell)} />
      {lit && <circle {...at} r={BALL + 1} class="light" />}
    </>
  );
}

function Lacquer({ board, width, height }: { board: Board; width: number; height: number }) {
  const holes = cells(board).map(([column, row]) => hole(centreX(column), centreY(row, board.rows)));
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

function Plate({ column, board }: { column: number; board: Board }) {
  const full = ownerAt(board, [column, board.rows]) !== "none";
  const y = PAD + board.rows * PITCH + PAD + PLINTH / 2 - 4;
  return (
    <g class="plate" data-full={full} transform={`translate(${centreX(column)} ${y})`}>
      <rect x="-37" y="-33" width="74" height="66" rx="9" fill="url(#brass)" />
      <text y="22" text-anchor="middle">{column}</text>
    </g>
  );
}

function Frame({ column, height }: { column: number; height: number }) {
  return <rect class="frame" x={centreX(column) - 50} y="-6" width="100" height={height + 12} rx="20" />;
}
