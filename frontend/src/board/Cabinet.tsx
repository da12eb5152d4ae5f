import type { Board } from "../protocol";
import { Ball, EnamelDefs } from "./Ball";
import {
  BALL, HOLE, PAD, PITCH, PLINTH, cabinetHeight, cabinetWidth, cells, centreY, ownerAt, slotX, type Cell,
} from "./geometry";

interface Props {
  board: Board;
  /** Cells to light up; all others step back as soon as there is one. */
  lit?: readonly Cell[];
  /** Cells whose balls fell last. */
  fresh?: readonly Cell[];
  /** A column to draw a frame around. */
  framed?: number | null;
  /** As it is seen from behind. */
  back?: boolean;
}

/** The whole cabinet in one drawing. */
export function Cabinet(props: Props) {
  const { width, height } = sizeOf(props.board);
  return (
    <svg class="cabinet" viewBox={`0 0 ${width} ${height}`} data-lit={(props.lit ?? []).length > 0} role="img" aria-label="The board">
      <Inside {...props} />
      <Front {...props} />
    </svg>
  );
}

/** Its back wall with the balls that lie there; what falls is put between this and the `Panel`. */
export function Wall(props: Props) {
  const { width, height } = sizeOf(props.board);
  return (
    <svg class="wall" viewBox={`0 0 ${width} ${height}`} data-lit={(props.lit ?? []).length > 0} aria-hidden="true">
      <Inside {...props} />
    </svg>
  );
}

/** The lacquer with its holes, rims and numbers. */
export function Panel(props: Props) {
  const { width, height } = sizeOf(props.board);
  return (
    <svg class="cabinet" viewBox={`0 0 ${width} ${height}`} role="img" aria-label="The board">
      <Front {...props} />
    </svg>
  );
}

function sizeOf(board: Board) {
  return { width: cabinetWidth(board.columns), height: cabinetHeight(board.rows) };
}

function Inside({ board, lit = [], back = false }: Props) {
  const { width, height } = sizeOf(board);
  const lights = new Set(lit.map(String));
  return (
    <>
      <EnamelDefs />
      <InsideDefs />
      <rect x="6" y="6" width={width - 12} height={height - 12} rx="26" fill="#050812" />
      {cells(board).map((cell) => <circle key={`${cell}`} {...centre(board, cell, back)} r={HOLE + 3} fill="url(#well)" />)}
      {cells(board).map((cell) => <Settled key={`${cell}`} board={board} cell={cell} lit={lights.has(`${cell}`)} back={back} />)}
    </>
  );
}

function Front({ board, lit = [], fresh = [], framed = null, back = false }: Props) {
  const size = sizeOf(board);
  const [lights, last] = [new Set(lit.map(String)), new Set(fresh.map(String))];
  return (
    <>
      <FrontDefs />
      <Lacquer board={board} {...size} />
      {cells(board).map((cell) => <Rim key={`${cell}`} board={board} cell={cell} lit={lights.has(`${cell}`)} fresh={last.has(`${cell}`)} back={back} />)}
      {columnsOf(board).map((column) => <Plate key={column} column={column} board={board} back={back} />)}
      {framed !== null && <Frame x={slotX(framed, board.columns, back)} height={size.height} />}
    </>
  );
}

function columnsOf(board: Board): number[] {
  return Array.from({ length: board.columns }, (_, index) => index + 1);
}

function centre(board: Board, [column, row]: Cell, back: boolean) {
  return { cx: slotX(column, board.columns, back), cy: centreY(row, board.rows) };
}

function InsideDefs() {
  return (
    <defs>
      <radialGradient id="well" cx="0.62" cy="0.68" r="0.7">
        <stop offset="0" stop-color="#0d1530" />
        <stop offset="1" stop-color="#03050c" />
      </radialGradient>
    </defs>
  );
}

function FrontDefs() {
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

interface InCell {
  board: Board;
  cell: Cell;
  lit: boolean;
  back: boolean;
}

function Settled({ board, cell, lit, back }: InCell) {
  const owner = ownerAt(board, cell);
  if (owner === "none") return null;
  const { cx, cy } = centre(board, cell, back);
  return (
    <g class="settled" data-lit={lit} transform={`translate(${cx} ${cy})`}>
      <Ball side={owner} />
    </g>
  );
}

function Rim({ board, cell, lit, fresh, back }: InCell & { fresh: boolean }) {
  const at = centre(board, cell, back);
  return (
    <>
      <circle {...at} r={HOLE} class="rim" data-cell={`${cell}`} data-owner={ownerAt(board, cell)} />
      {fresh && !lit && <circle {...at} r={BALL} class="fresh" />}
      {lit && <circle {...at} r={BALL + 1} class="light" />}
    </>
  );
}

function Lacquer({ board, width, height }: { board: Board; width: number; height: number }) {
  const holes = cells(board).map(([column, row]) => hole(slotX(column, board.columns, false), centreY(row, board.rows)));
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

function Plate({ column, board, back }: { column: number; board: Board; back: boolean }) {
  const full = ownerAt(board, [column, board.rows]) !== "none";
  const y = PAD + board.rows * PITCH + PAD + PLINTH / 2 - 4;
  return (
    <g class="plate" data-full={full} transform={`translate(${slotX(column, board.columns, back)} ${y})`}>
      <rect x="-37" y="-33" width="74" height="66" rx="9" fill="url(#brass)" />
      <text y="22" text-anchor="middle">{column}</text>
    </g>
  );
}

function Frame({ x, height }: { x: number; height: number }) {
  return <rect class="frame" x={x - 50} y="-6" width="100" height={height + 12} rx="20" />;
}
