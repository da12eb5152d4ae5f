import { t } from "../live/i18n";
import type { Board } from "../protocol";
import { Ball, BallGradients } from "./Ball";
import { FrontGradients, FrontPanel, ColumnLabels } from "./GridFrame";
import { BALL, HOLE, boardHeight, boardWidth, cells, centerY, ownerAt, columnX, type Cell } from "./geometry";

interface Props {
  board: Board;
  /** Cells to highlight: the winning lines. If there are any, all other cells are dimmed. */
  lit?: readonly Cell[];
  /** Cells of the balls that dropped last. */
  fresh?: readonly Cell[];
  /** The column to highlight with a frame: both sides picked it (a conflict). */
  framed?: number | null;
  /** Mirrored, as seen from behind. */
  back?: boolean;
}

/** The board of a game in which balls drop into columns, in one drawing. */
export function Grid(props: Props) {
  const { width, height } = gridSize(props.board);
  return (
    <svg class="cabinet" viewBox={`0 0 ${width} ${height}`} data-lit={(props.lit ?? []).length > 0} role="img" aria-label={t("The board")}>
      <Inside {...props} />
      <Front {...props} />
    </svg>
  );
}

/** The back wall and the balls in the grid. Falling balls are drawn between this and `GridFront`. */
export function GridBack(props: Props) {
  const { width, height } = gridSize(props.board);
  return (
    <svg class="wall" viewBox={`0 0 ${width} ${height}`} data-lit={(props.lit ?? []).length > 0} aria-hidden="true">
      <Inside {...props} />
    </svg>
  );
}

/** The front with its holes, rims and column numbers. */
export function GridFront(props: Props) {
  const { width, height } = gridSize(props.board);
  return (
    <svg class="cabinet" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t("The board")}>
      <Front {...props} />
    </svg>
  );
}

function gridSize(board: Board) {
  return { width: boardWidth(board), height: boardHeight(board) };
}

function Inside({ board, lit = [], back = false }: Props) {
  const { width, height } = gridSize(board);
  const lights = new Set(lit.map(String));
  return (
    <>
      <BallGradients />
      <InsideDefs />
      <rect x="6" y="6" width={width - 12} height={height - 12} rx="26" fill="#050812" />
      {cells(board).map((cell) => <circle key={`${cell}`} {...center(board, cell, back)} r={HOLE + 3} fill="url(#well)" />)}
      {cells(board).map((cell) => <SettledBall key={`${cell}`} board={board} cell={cell} lit={lights.has(`${cell}`)} back={back} />)}
    </>
  );
}

function Front({ board, lit = [], fresh = [], framed = null, back = false }: Props) {
  const size = gridSize(board);
  const [lights, last] = [new Set(lit.map(String)), new Set(fresh.map(String))];
  return (
    <>
      <FrontGradients />
      <FrontPanel board={board} />
      {cells(board).map((cell) => <Rim key={`${cell}`} board={board} cell={cell} lit={lights.has(`${cell}`)} fresh={last.has(`${cell}`)} back={back} />)}
      <ColumnLabels board={board} back={back} />
      {framed !== null && <ColumnFrame x={columnX(framed, board, back)} height={size.height} />}
    </>
  );
}

function center(board: Board, [column, row]: Cell, back: boolean) {
  return { cx: columnX(column, board, back), cy: centerY(row, board.rows) };
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

interface CellProps {
  board: Board;
  cell: Cell;
  lit: boolean;
  back: boolean;
}

function SettledBall({ board, cell, lit, back }: CellProps) {
  const owner = ownerAt(board, cell);
  if (owner === "none") return null;
  const { cx, cy } = center(board, cell, back);
  return (
    <g class="settled" data-lit={lit} transform={`translate(${cx} ${cy})`}>
      <Ball side={owner} />
    </g>
  );
}

function Rim({ board, cell, lit, fresh, back }: CellProps & { fresh: boolean }) {
  const at = center(board, cell, back);
  return (
    <>
      <circle {...at} r={HOLE} class="rim" data-cell={`${cell}`} data-owner={ownerAt(board, cell)} />
      {fresh && !lit && <circle {...at} r={BALL} class="fresh" />}
      {lit && <circle {...at} r={BALL + 1} class="light" />}
    </>
  );
}

function ColumnFrame({ x, height }: { x: number; height: number }) {
  return <rect class="frame" x={x - 50} y="-6" width="100" height={height + 12} rx="20" />;
}
