import { formatMoment, HOUR_MS } from "../../live/schedule";
import { ballsBefore, placedBalls, isSameCell, isOnLine, type PlacedBall } from "../../live/match/grid";
import { timeBankLeft } from "../../live/match/timeBank";
import { dropMoments, landMoment, revealMoments, revealStep, sideForTeam, tokenMoment, verdictMoment } from "../../live/match/phase";
import { currentSeries } from "../../live/match/series";
import { support } from "../../live/match/support";
import type { Board, EventState, Match, Reveal, Side, SideTally } from "../../protocol";
import { optionName } from "../../board/geometry";
import { duelActions } from "./duelActions";
import { bestJudge } from "./choiceAnalysis";
import { ratingAndRematch } from "./rematch";
import { html, type Html } from "../dom";
import type { BallotStatus } from "../ballot/ballot";
import { choiceColumns, columnFigure, control, extendsChoice, votesText } from "../ballot/choice";
import { countColumn } from "../ballot/encoding";
import { requestButtons } from "../ballot/requests";
import { formatClock, formatLongTime, formatPercent, formatDuration } from "../../live/format";
import type { BoardLayers, DeferredPart } from "../deferredPart";
import { token } from "./shape";
import { cornerName } from "./teamNames";
import * as say from "../texts";
import { isSealed, ownColumn, type PhoneView } from "../seat/phoneView";

/**
 * The digits 1 to 5 as paths: as text they would become part of the button's accessible name, which already
 * includes them.
 */
const FIGURES = [
  ...["M-10-9 3-18V18", "M-11-9A11 10 0 1 1 8 1L-12 17H13", "M-11-13A10 9 0 1 1-1 0A11 9.5 0 1 1-12 13"],
  ...["M6 18V-18L-14 8H14", "M10-18H-8L-10-3A12 12 0 1 1-12 14"],
];
const SIDES = ["red", "yellow"] as const;
const FALLING_MS = 1000;
/** Where the bars of the votes so far start; their numbers are below. */
const FIGURES_AT = 58;

/** What a board shows besides the balls on it: a reveal, the end, or the votes so far. */
export function boardLayers(view: PhoneView, match: Match): BoardLayers {
  const { phase, now } = view;
  if (phase === "reveal") return revealed(view, match, match.reveal!, now);
  const { figures, ...votes } = liveVotes(view, match);
  return { ...votes, ...several(view, match, votes), lit: phase === "ended" ? lines(match.board, true) : undefined, figures: html`${figures}${phase === "sealed" && lid(view)}` };
}

/** A ballot of several columns: marks each of them, with its rank or its points. */
function several(view: PhoneView, match: Match, { under, votesLabel }: BoardLayers): BoardLayers {
  const { ballot, hidden } = view;
  if (!extendsChoice(match, ballot.choice) && !extendsChoice(match, ballot.heldChoice)) return {};
  const [wanted, held] = [choiceColumns(ballot.choice, match), choiceColumns(ballot.heldChoice, match)];
  const isMore = (column: number) => countColumn(wanted, column) > countColumn(held, column);
  const status = (column: number): BallotStatus => (isMore(column) ? ballot.status : held.includes(column) ? "counted" : "idle");
  const figure = (column: number) => columnFigure(match, ballot.choice, column);
  return {
    ...{ status, figure },
    over: (column) => (figure(column) && !hidden ? html`${under?.(column)}${numbered(view, figure(column), status(column), !!votesLabel?.(column))}` : undefined),
    votesLabel: (column) => [votesLabel?.(column), figure(column) && control(match)?.figureLabel?.(figure(column))].filter(Boolean).join(", "),
  };
}

const numbered = ({ side }: PhoneView, figure: number, status: BallotStatus, tallied: boolean) =>
  html`<g transform="translate(50 ${tallied ? 34 : 50})"><g class="hanging ${status}"><circle class="figure ${side} ${status}" r="40"/><path class="figure ${status}" d="${FIGURES[figure - 1]}"/></g></g>`;

/** The seal over the closed board: an empty slot at first, a brass bar once the votes are sealed. */
const lid = (view: PhoneView) => html`<div class="lid ${isSealed(view) && "shut"}"></div>`;

/** The reveal: the vote distribution, then the drop animation and the winning line. */
function revealed(view: PhoneView, match: Match, reveal: Reveal, now: number): BoardLayers {
  const { board } = match;
  const step = revealStep(match, now);
  const at = dropMoments(match);
  const { drops, conflict } = reveal.resolution;
  const fresh = drops.filter((_, index) => now >= at[index]! && now < at[index]! + FALLING_MS);
  const picks = step === "picks";
  const counted = !view.event.hidden.includes("tally");
  const own = view.hidden ? [] : choiceColumns(ownColumn(view), match);
  return {
    balls: ballsBefore(board, reveal.resolution, at.filter((moment) => now >= moment).length),
    falls: (ball) => fresh.some((drop) => isSameCell(drop, ball)),
    lit: step === "lines" ? lines(board, now >= verdictMoment(match)) : undefined,
    over: counted && (picks || step === "pour") ? (column) => html`${SIDES.map((side) => bar(reveal, side, column, picks))}` : undefined,
    kind: (column) => (own.includes(column) ? " own" : "") + (column === conflict && (picks || step === "drops") ? " framed" : ""),
  };
}

/** The lines, each highlighted ball by ball: of the side that loses, if both have one, and after the verdict the winner's. */
function lines(board: Board, isDecided: boolean): (column: number) => Html {
  const line = (cells: Board["winning_cells"]) =>
    placedBalls(board)
      .filter((ball) => isOnLine(cells, ball))
      .sort((one, two) => one.column - two.column || one.row - two.row);
  const lit = [line(board.losing_cells), line(isDecided ? board.winning_cells : [])];
  return (column) => html`${lit.flatMap((balls) => balls.map((ball, order) => ball.column === column && ringed(ball, board.rows, order)))}`;
}

const ringed = ({ row }: PlacedBall, rows: number, order: number) =>
  html`<circle class="lit" css="--order:${order}" cx="50" cy="${100 * (rows - row) + 150}" r="42"/>`;

/** The votes so far for each column, if public: of the own team, or of the voting team in an open vote. */
function liveVotes({ event, counts, side: own }: PhoneView, match: Match): BoardLayers {
  const open = match.board.vote === "open" && match.turn?.to_move[0];
  if (!(event.own_counts || open) || !counts || counts.turn !== match.turn?.id) return {};
  const side = open || own;
  const most = Math.max(...counts.counts);
  const votes = (column: number) => counts.counts[column - 1] ?? 0;
  return {
    under: (column) => votes(column) > 0 && rect(side, 8, 84, votes(column) / most, false, FIGURES_AT),
    figures: html`<p class="votes" css="--size:${fontScale(most)}" aria-hidden="true">${counts.counts.map((_, i) => html`<span>${votes(i + 1) || ""}</span>`)}</p>`,
    votesLabel: (column) => votes(column) > 0 && votesText(match, votes(column)),
    kind: (column) => (votes(column) > 0 ? " tallied" : ""),
  };
}

/** The font size at which the longest number fits a column. */
const fontScale = (most: number) => Math.min(0.37, 1.4 / `${most}`.length);

/** Bars are scaled to the highest one of both teams, so that they can be compared. */
function bar(reveal: Reveal, side: Side, column: number, picks: boolean): Html | false {
  const tally = reveal[side];
  const longest = Math.max(...SIDES.flatMap((side) => reveal[side]?.counts.map((_, i) => part(reveal[side]!, i)) ?? []));
  return !!tally && rect(side, side === "red" ? 12 : 53, 35, part(tally, column - 1) / (longest || 1), !picks || tally.pick === column);
}

function rect(side: Side, x: number, width: number, share: number, picked = false, foot = 96): Html {
  const height = Math.max(3, share * (foot - 4));
  return html`<rect class="bar ${side}${picked && " picked"}" x="${x}" width="${width}" y="${foot - height}" height="${height}" rx="3"/>`;
}

function part({ counts, ballots }: SideTally, index: number): number {
  return ballots ? (counts[index] ?? 0) / ballots : 0;
}

/** The times at which a reveal changes its appearance, and when the organizer's message is hidden. */
export function moments({ match, notice_until }: EventState): number[] {
  return [...(match ? [...revealMoments(match), verdictMoment(match), tokenMoment(match), landMoment(match)] : []), notice_until ?? 0];
}

/** A side's clock, its pick once revealed, or else its team's name, and whether the side holds the token. */
export function corner(view: PhoneView, match: Match, side: Side): ReturnType<DeferredPart["corner"]> {
  const { now, phase, turnout, event } = view;
  const left = phase === "voting" && timeBankLeft(match, side, turnout, match[side] - 1, now);
  if (typeof left === "number") return { picked: formatClock(left) || formatLongTime(left), name: "", holds: match.board.token === side };
  const last = match.reveal?.resolution;
  const holder = last && (last.result !== "open" || now < tokenMoment(match)) ? last.token_before : match.board.token;
  const holds = holder === side;
  return { picked: pickedText(view, match, side), name: cornerName(event, side, holds), holds };
}

/** A side's pick and its share of votes. Empty until the reveal shows them. */
export function pickedText({ now, phase, event }: PhoneView, match: Match, side: Side): string {
  const tally = phase === "reveal" ? match.reveal?.[side] : null;
  const step = revealStep(match, now);
  if (!tally?.pick || step === "sealed" || step === "pour") return "";
  const share = tally.ballots && !event.hidden.includes("tally") ? ` · ${formatPercent(...support(match, tally))}` : "";
  return optionName(match.board, tally.pick) + share;
}

/** A link to the page on which players find opponents. */
export const gameLink = ({ code }: EventState, label: string) => html`<a href="/play/${code}" target="_top">${label}</a>`;

/** The score of the series, when the next match begins, or whether there is one. */
export function nextLine(view: PhoneView): Html | false {
  const { event, now, phase, team } = view;
  if (phase === "voting" || event.is_duel) {
    const actions = requestButtons(view) || duelActions(view);
    if (actions || phase === "voting") return actions;
  }
  if (phase !== "lobby" && phase !== "ended") return false;
  if (event.is_duel && !event.match && !event.teams[2 - team]!.solo) return html`<p class="next">${gameLink(event, `${location.host}/play/${event.code}`)}</p>`;
  const at = event.next_match_at;
  const series = event.best_of && currentSeries(event).won;
  const ball = (team: number) => token(`ball-${sideForTeam(event, team)}`);
  const standing = series && html`<span class="series">${say.bestOf(event.best_of!)} ${ball(1)} ${series[0]} : ${series[1]} ${ball(2)}</span>`;
  const time = at && html`<span>${at - now > HOUR_MS ? say.nextOn(formatMoment(at, "short")) : now < at ? say.nextIn(formatDuration(at - now)) : say.nextBegins}</span>`;
  const more = ratingAndRematch(view);
  const judge = phase === "ended" && bestJudge(view);
  return (!!series || !!at || !!more || !!judge) && html`<p class="next">${judge && html`<span>${judge}</span>`}${standing}${time}${more}</p>`;
}
