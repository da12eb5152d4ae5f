import { otherSide } from "../live/grid";
import { revealStep, tokenMoment } from "../live/phase";
import { nameOf } from "../board/geometry";
import type { Board, EventState, Match, Reveal, Side, SideTally } from "../protocol";
import { support } from "../live/support";
import type { Ballot } from "./ballot";
import { chosenName, columnsOf, takesSeveral } from "./choice";
import { named } from "./drawn";
import { clockTime, longTime, percent, thousands } from "./numbers";
import { ending, sideNow } from "./sides";
import * as say from "./tongue/en";
import { called, isSealed, ownColumn, type View } from "./view";

// What is said once there was a vote: of its fate, of a reveal, of a match that is over.

export const { card, oneDevice } = say;

export function sentence(view: View, match: Match | null): string {
  const { phase, ballot, hands } = view;
  if (!match && !hands) return calm(view.event, view.team);
  if (!match || (hands && phase === "voting")) return say.hands;
  if (phase === "ended") return end(view, match);
  if (phase === "reveal") return reveal(view, match, match.reveal!);
  if (phase === "paused") return join(say.paused, ballot.standing !== null && say.voteKept);
  if (phase === "sealed") return sealed(view, match);
  return phase === "waiting" ? halved(view, match) : voting(view, match);
}

/** Before a match where there is no big screen to look at, or after one that was stopped. */
function calm({ match, teams }: EventState, team: number): string {
  if (match) return say.stopped;
  const solo = teams.find((one) => one.solo);
  if (!solo) return say.waits;
  return solo.number === team ? say.gathers : say.amidst(solo.name);
}

const join = (...parts: readonly (string | false | null | undefined)[]) => parts.filter(Boolean).join(" ");

const isToMove = ({ side }: View, { turn }: Pick<Match, "turn">) => turn!.to_move.includes(side);

function voting(view: View, match: Match): string {
  const { ballot, event, side } = view;
  if (!isToMove(view, match)) return match.board.vote ? halved(view, match) : say.theirTurn(called(event, otherSide(side)));
  if (ballot.status === "refused") return refused(ballot, match);
  if (ballot.elsewhere) return join(say.elsewhere, say.wasFor(chosenName(match.board, ballot.column!)));
  return choosing(view, match);
}

/** Of a turn in two halves: whose it is, and who sees it. */
function halved(view: View, { board, turn }: Match): string {
  const they = called(view.event, turn!.to_move[0]!);
  if (isToMove(view, { turn })) return board.vote === "open" ? say.openly : say.inSecret;
  return board.vote === "open" ? say.theyOpenly(they) : say.theySecretly(they);
}

function choosing(view: View, match: Match): string {
  const { ballot, connection, hidden } = view;
  if (!ballot.column) return join(note(view), isCaptain(view, match) && say.youDecideTies, invitation(view, match));
  const name = chosenName(match.board, ballot.column);
  if (ballot.status === "sending") return connection.state === "joined" ? say.sending(name) : say.notYet(name);
  if (hidden) return say.countedHidden;
  return takesSeveral(match) ? say.countedSeveral(name) : say.counted(name);
}

function invitation(view: View, match: Match): string {
  const { board, tally_method } = match;
  const half = board.vote && halved(view, match);
  if (tally_method === "approval") return join(half, say.chooseAll);
  if (tally_method === "instant_runoff") return join(half, say.rankUp);
  return half || (board.rows ? say.pick : say.choose);
}

const isCaptain = ({ event, team, sign }: View, { tie_rule }: Match) => tie_rule === "captain" && !!sign && event.teams[team - 1]!.captain === sign;

function sealed(view: View, match: Match): string {
  const { ballot, hidden, hands } = view;
  const said = isSealed(view) ? say.sealed : say.timeIsUp;
  if (!isToMove(view, match) || hands) return said;
  if (ballot.status === "refused") return refused(ballot, match);
  if (ballot.status === "sending") return join(said, say.waitingToHear);
  return join(said, ballot.column === null ? say.notVoted : !hidden && say.youVoted(chosenName(match.board, ballot.column)));
}

function refused({ column, reason, standing }: Ballot, { board }: Match): string {
  return join(`${say.notCounted}: ${say.reasons[reason ?? "late"]}.`, standing !== null && standing !== column && say.stands(chosenName(board, standing)));
}

function reveal(view: View, match: Match, told: Reveal): string {
  const step = revealStep(match, view.now);
  if (step === "sealed") return say.allCountedNow;
  if (step === "pour") return say.howVoted;
  if (step === "picks") return picks(view, match, told);
  if (step === "drops") return drops(view, match, told);
  if (match.result !== "open") return winner(view, match);
  return join(note(view), match.turn?.paused ? say.paused : say.nextTurn);
}

function picks(view: View, { board, defections }: Match, told: Reveal): string {
  const { side } = view;
  const other = otherSide(side);
  const tally = told[side];
  // Where sides are secret, what a phone says must not follow from where its voter is.
  if (defections) return join(theirPick(view, board, told, side), theirPick(view, board, told, other));
  return tally ? ownPick(tally, ownColumn(view), board) : theirPick(view, board, told, other);
}

function theirPick({ event }: View, board: Board, told: Reveal, side: Side): string {
  const tally = told[side];
  const name = called(event, side);
  return tally?.decided_by === "resign" ? say.gaveUp(name) : say.theyPicked(name, tally?.pick ? nameOf(board, tally.pick) : null);
}

function ownPick(tally: SideTally, own: number | null, board: Board): string {
  const { pick, ballots, decided_by } = tally;
  if (decided_by === "resign") return say.weGaveUp;
  if (pick === null) return say.noDrop;
  const name = nameOf(board, pick);
  if (!tally.counts.length) return say.picking(name);
  if (decided_by === "random" || !ballots) return say.lot(name);
  const [votes, of] = support(tally);
  const share = percent(votes, of);
  if (tally.rounds?.[1]) return say.pickedInRound(name, tally.rounds.length, share);
  if (!columnsOf(own).includes(pick)) return join(say.picked(name, share, say.votes(votes)), own !== null && say.youVoted(chosenName(board, own)));
  return votes > 1 ? say.pickedWithYou(name, share, thousands(votes - 1)) : say.pickedByYou(name, share);
}

function drops(view: View, match: Match, told: Reveal): string {
  const { event, now } = view;
  const { conflict, token_before, token_after, drops } = told.resolution;
  if (say.code === GAMES_SPEAK && told.resolution.told.length) return words(view, told);
  if (conflict === null || token_before === null) return picks(view, match, told);
  const forfeited = drops.find((drop) => drop.row === null);
  if (now < tokenMoment(match)) return say.both(conflict, called(event, token_before));
  if (forfeited) return say.full(conflict, called(event, forfeited.side));
  return token_after && token_after !== token_before ? say.tokenTo(called(event, token_after)) : picks(view, match, told);
}

function winner({ event }: View, { result }: Match): string {
  return result === "open" || result === "draw" ? say.nobodyWins : say.wins(called(event, result));
}

function end(view: View, match: Match): string {
  const { result, ended_by } = match;
  const gaveUp = ended_by === "resign" && result !== "draw" && result !== "open" && say.gaveUp(called(view.event, otherSide(result)));
  const turns = Object.values(view.record.agreed);
  if (match.defections) return join(gaveUp, winner(view, match), ending(view, match));
  return join(gaveUp, winner(view, match), !gaveUp && turns.length > 0 && say.withTeam(turns.filter(Boolean).length, turns.length));
}

/** What there is to say, without an alarm, of the vote before. */
function note({ receipts }: View): string {
  const last = receipts[receipts.length - 1];
  if (last?.late) return say.lateLast;
  return last?.found === "elsewhere" ? say.elsewhere : last?.found === "unsure" ? say.unsureLast : "";
}

const GAMES_SPEAK = "en";

const words = (view: Pick<View, "event">, { resolution }: Reveal) => named(view, resolution.told.join(" "));

/** What fell where, once it lies there: for those who do not see it. */
export function moves({ event, match, phase, now }: View): string {
  const told = match?.reveal;
  if (!told || (phase === "reveal" && now < tokenMoment(match!))) return "";
  if (told.resolution.told.length) return words({ event }, told);
  const said = told.resolution.drops.map(({ side, column, row }) =>
    row ? say.inColumn(called(event, side), column) : say.full(column, called(event, side)),
  );
  return said.join(", ");
}

/** The word or number inside the shape. */
export function heart(view: View, match: Match): string {
  const { phase, now, side } = view;
  const { turn } = match;
  const step = revealStep(match, now);
  const time = (left: number) => clockTime(left) || longTime(left);
  if (phase === "ended") return outcome(match, sideNow(view));
  if (phase === "paused") return time(turn!.left_ms);
  if (phase === "sealed") return isSealed(view) ? say.sealedShape : say.closedShape;
  if (step === "sealed" || step === "pour") return say.countedShape;
  const pick = match.reveal?.[side]?.pick;
  if (step !== "lines") return pick ? nameOf(match.board, pick) : "–";
  return !turn ? outcome(match, sideNow(view)) : turn.paused ? "" : time(turn.opens_at - now);
}

function outcome({ result }: Match, side: string): string {
  if (result === "open") return say.over;
  return result === "draw" ? say.draw : result === side ? say.won : say.lost;
}
