import { ballsBefore, ballsOf, fell, heightsOf, onLine, type Ball } from "../live/grid";
import { dropMoments, revealStep, type Phase } from "../live/phase";
import type { Board as BoardState, Match, Reveal, Side, SideTally } from "../protocol";
import type { Ballot, Status } from "./ballot";
import { Column, type ColumnView, type Lit, type Share } from "./Column";

const SIDES = ["red", "yellow"] as const;
const FALLING_MS = 1000;

export interface BoardPlan {
  match: Match;
  phase: Phase;
  side: Side;
  now: number;
  ballot: Ballot;
  /** The column voted for in the turn that is revealed. */
  own: number | null;
  cast: (column: number) => void;
}

/** Seven tall columns: the board and the buttons in one. */
export function Board(plan: BoardPlan) {
  return (
    <div class="board">
      <div class="rim" />
      {columnsOf(plan).map((view) => (
        <Column key={view.column} view={view} cast={plan.cast} />
      ))}
    </div>
  );
}

function columnsOf(plan: BoardPlan): ColumnView[] {
  const { match, phase, side, now, ballot } = plan;
  const scene = phase === "reveal" && match.reveal ? revealed(match, match.reveal, now) : still(match, phase);
  const legal = phase === "voting" && match.turn ? match.turn.legal[side] : [];
  return heightsOf(match.board).map((height, index) => {
    const column = index + 1;
    const here = (ball: Ball) => ball.column === column;
    return {
      column,
      height,
      side,
      rows: match.board.rows,
      balls: scene.balls.filter(here),
      falling: scene.falling.filter(here),
      lit: scene.lit.filter(here),
      shares: scene.bars ? sharesOf(scene.bars, column, scene.chosen) : [],
      mine: phase === "reveal" ? "idle" : statusAt(column, ballot),
      framed: scene.framed === column,
      own: phase === "reveal" && plan.own === column,
      open: legal.includes(column),
    };
  });
}

/** The ball stays where the ballot box holds it until a change of it is counted. */
function statusAt(column: number, ballot: Ballot): Status {
  if (ballot.column === column) return ballot.status;
  return ballot.standing === column ? "counted" : "idle";
}

interface Scene {
  balls: Ball[];
  falling: Ball[];
  lit: Lit[];
  bars: Reveal | null;
  chosen: boolean;
  framed: number | null;
}

function still(match: Match, phase: Phase): Scene {
  const balls = ballsOf(match.board);
  const lit = phase === "ended" ? litOf(match.board) : [];
  return { balls, lit, falling: [], bars: null, chosen: false, framed: null };
}

function revealed(match: Match, reveal: Reveal, now: number): Scene {
  const step = revealStep(match, now);
  const moments = dropMoments(match);
  const gone = moments.filter((at) => now >= at).length;
  const drops = reveal.resolution.drops;
  const fresh = drops.filter((_, index) => now >= moments[index]! && now < moments[index]! + FALLING_MS);
  const balls = ballsBefore(match.board, reveal.resolution, gone);
  return {
    balls,
    falling: balls.filter((ball) => fresh.some((drop) => fell(drop, ball))),
    lit: step === "lines" ? litOf(match.board) : [],
    bars: step === "pour" || step === "picks" ? reveal : null,
    chosen: step === "picks",
    framed: step === "picks" || step === "drops" ? reveal.resolution.conflict : null,
  };
}

function litOf(board: BoardState): Lit[] {
  return ballsOf(board)
    .filter((ball) => onLine(board, ball))
    .sort((one, two) => one.column - two.column || one.row - two.row)
    .map((ball, order) => ({ ...ball, order }));
}

/** Bars are drawn against the longest of both teams, so that the shape of a vote is seen. */
function sharesOf(reveal: Reveal, column: number, chosen: boolean): Share[] {
  const longest = Math.max(...SIDES.flatMap((side) => reveal[side]?.counts.map((_, i) => part(reveal[side]!, i)) ?? []));
  return SIDES.flatMap((side) => {
    const tally = reveal[side];
    if (!tally) return [];
    return [{ side, share: part(tally, column - 1) / (longest || 1), picked: !chosen || tally.pick === column }];
  });
}

function part({ counts, ballots }: SideTally, index: number): number {
  return ballots ? (counts[index] ?? 0) / ballots : 0;
}
