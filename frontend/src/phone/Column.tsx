import type { Ball } from "../live/grid";
import type { Side } from "../protocol";
import type { Status } from "./ballot";

export interface Share {
  side: Side;
  share: number;
  picked: boolean;
}

/** A ball of a winning line; `order` counts along it. */
export interface Lit extends Ball {
  order: number;
}

export interface ColumnView {
  column: number;
  rows: number;
  height: number;
  balls: readonly Ball[];
  falling: readonly Ball[];
  lit: readonly Lit[];
  shares: readonly Share[];
  mine: Status;
  framed: boolean;
  own: boolean;
  open: boolean;
  side: Side;
}

export function Column({ view, cast }: { view: ColumnView; cast: (column: number) => void }) {
  const { column, rows, mine, framed, own } = view;
  return (
    <button
      type="button"
      class={`column ${mine}${framed ? " framed" : ""}${own ? " own" : ""}`}
      data-column={column}
      disabled={!view.open}
      aria-pressed={mine !== "idle"}
      aria-label={nameOf(view)}
      onClick={() => cast(column)}
    >
      <svg viewBox={`0 0 100 ${rows * 100 + 100}`} aria-hidden="true">
        <rect class="depth" y="100" width="100" height={rows * 100} />
        {view.balls.map((ball) => (
          <Laid key={ball.row} ball={ball} view={view} />
        ))}
        <path class="face" fill-rule="evenodd" d={facePath(rows)} />
        {view.lit.map(({ row, order }) => (
          <circle key={row} class="lit" style={{ "--order": order }} cx="50" cy={centre(row, rows)} r="42" />
        ))}
        {view.shares.length ? <Bars shares={view.shares} /> : <Hanging view={view} />}
      </svg>
      <span class="plate">{column}</span>
    </button>
  );
}

function Laid({ ball, view }: { ball: Ball; view: ColumnView }) {
  const fresh = view.falling.some((other) => other.row === ball.row);
  return (
    <g transform={`translate(50 ${centre(ball.row, view.rows)})`}>
      <use href={`#ball-${ball.side}`} class={fresh ? "falls" : ""} style={{ "--rows": view.rows + 1 - ball.row }} />
    </g>
  );
}

function Hanging({ view }: { view: ColumnView }) {
  if (view.mine === "idle") return null;
  return (
    <g transform="translate(50 50)">
      <g class={`hanging ${view.mine}`}>
        {view.mine === "sending" && <use href={`#hollow-${view.side}`} />}
        {view.mine === "counted" && <use href={`#ball-${view.side}`} />}
        {view.mine === "counted" && <use href="#tick" x="29" y="28" />}
        {view.mine === "refused" && <path class="cross" d="M-40 0a40 40 0 1 0 80 0a40 40 0 1 0-80 0M-15-15 15 15M15-15-15 15" />}
      </g>
    </g>
  );
}

function Bars({ shares }: { shares: readonly Share[] }) {
  return (
    <>
      {shares.map(({ side, share, picked }) => (
        <rect
          key={side}
          class={`bar ${side}${picked ? " picked" : ""}`}
          x={side === "red" ? 12 : 53}
          width="35"
          y={96 - Math.max(3, share * 92)}
          height={Math.max(3, share * 92)}
          rx="3"
        />
      ))}
    </>
  );
}

function centre(row: number, rows: number): number {
  return 100 * (rows - row) + 150;
}

function facePath(rows: number): string {
  const holes = Array.from({ length: rows }, (_, i) => `M8 ${150 + i * 100}a42 42 0 1 0 84 0a42 42 0 1 0-84 0z`);
  return `M-1 100h102v${rows * 100}h-102z${holes.join("")}`;
}

const SAID: { [status in Status]: string } = {
  idle: "",
  sending: ", sending your vote",
  counted: ", your vote",
  refused: ", not counted",
};

function nameOf({ column, height, rows, mine }: ColumnView): string {
  const full = height >= rows ? "full" : `${height} of ${rows} full`;
  return `Column ${column}, ${full}${SAID[mine]}`;
}
