import { placedBalls, type PlacedBall } from "../../live/match/grid";
import type { Board, Match } from "../../protocol";
import type { BallotStatus } from "../ballot/ballot";
import { html, type Html } from "../dom";
import type { BoardLayers } from "../deferredPart";
import { loadDeferred, deferred } from "../deferred";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";

/** Seven tall columns that are both the board and the buttons. */
export function board(view: PhoneView, match: Match): Html | undefined {
  const [top] = match.board.grid;
  if (!top) return loadDeferred()?.drawnBoard(view, match);
  const boardLayers = (isStill(view) ? deferred() : loadDeferred())?.boardLayers(view, match) ?? {};
  const columns = top.split("").map((_, index) => column(view, match.board, boardLayers, index + 1));
  return html`<div class="board" role="group" aria-label="${say.board}"><div class="rim"></div>${columns}${boardLayers.figures}</div>`;
}

/** Whether only a window is shown, with no results. */
const isStill = ({ phase, counts }: PhoneView) => !counts && /voting|waiting|paused/.test(phase);

/** The ball stays at the choice in the ballot box until a change of it is counted. */
export function statusAt({ phase, ballot }: PhoneView, column: number): BallotStatus {
  if (phase === "reveal") return "idle";
  if (ballot.choice === column) return ballot.status;
  return ballot.heldChoice === column ? "counted" : "idle";
}

/** One column as a button. The selected column has the voter's ball over it. */
function column(view: PhoneView, { rows, ...board }: Board, boardLayers: BoardLayers, number: number): Html {
  const { hidden, side } = view;
  const status = boardLayers.status?.(number) ?? statusAt(view, number);
  const seen = hidden ? "idle" : status;
  const open = view.phase === "voting" && !view.hands && (deferred() ?? !view.event.consent) && view.match!.turn!.legal[side].includes(number);
  const balls = (boardLayers.balls ?? placedBalls({ rows, ...board })).filter((ball) => ball.column === number).sort((one, two) => one.row - two.row);
  const votes = boardLayers.votesLabel?.(number);
  return html`<button type="button" class="column ${seen}${boardLayers.kind?.(number)}" data-column="${number}"
    aria-pressed="${`${status !== "idle"}`}" aria-label="${columnLabel(number, rows, balls)}${votes && `, ${votes}`}${say.statuses[status]}" ${open || html`disabled`}>
    <svg viewBox="0 0 100 ${rows * 100 + 100}" aria-hidden="true">
      <rect class="depth" y="100" width="100" height="${rows * 100}"/>
      <g>${balls.map((ball) => ballInGrid(ball, rows, boardLayers.falls?.(ball)))}</g>
      <path class="face" fill-rule="evenodd" d="${facePath(rows)}"/>
      ${boardLayers.lit?.(number)}
      ${boardLayers.over?.(number) ?? html`${boardLayers.under?.(number)}${seen !== "idle" && html`<g transform="translate(50 ${votes ? 34 : 50})"><g class="hanging ${seen}">${voteStatusIcon(side, seen)}</g></g>`}`}
    </svg>
    <span class="plate">${number}</span>
  </button>`;
}

function ballInGrid({ row, side }: PlacedBall, rows: number, falls = false): Html {
  return html`<g transform="translate(50 ${100 * (rows - row) + 150})"><use href="#ball-${side}" ${falls && html`class="falls" css="--rows:${rows + 1 - row}"`}/></g>`;
}

/** The vote acknowledgement: a hollow ball while the vote is sent, a tick once it is counted, a cross if refused. */
function voteStatusIcon(side: string, status: BallotStatus): Html {
  if (status === "sending") return html`<circle class="hollow" r="40"/>`;
  if (status === "counted") return html`<use href="#ball-${side}"/><use href="#tick" x="29" y="28"/>`;
  return html`<path class="cross" d="M-40 0a40 40 0 1 0 80 0a40 40 0 1 0-80 0M-15-15 15 15M15-15-15 15"/>`;
}

function facePath(rows: number): string {
  let holes = "";
  for (let row = 0; row < rows; row++) holes += `M8 ${150 + row * 100}a42 42 0 1 0 84 0a42 42 0 1 0-84 0z`;
  return `M-1 100h102v${rows * 100}h-102z${holes}`;
}

/** Describes a column for screen readers. */
function columnLabel(number: number, rows: number, balls: readonly PlacedBall[]): string {
  const heap = balls.length < rows ? say.heap(balls.length, rows) : say.columnFull;
  return `${say.column(number)}, ${heap}${balls.length ? `, ${say.fromBelow}: ${balls.map(({ side }) => say.pair[side]).join(" ")}` : ""}`;
}
