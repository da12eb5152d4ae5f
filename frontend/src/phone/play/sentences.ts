import { LANGUAGE } from "../../live/i18n";
import { otherSide } from "../../live/match/grid";
import { endReasonText } from "../../live/match/endReason";
import { heldMs, revealStep, tokenReceiver, verdictMoment } from "../../live/match/phase";
import { optionName } from "../../board/geometry";
import type { Board, EventState, Match, Reveal, Side, SideTally } from "../../protocol";
import { hasPoints, support } from "../../live/match/support";
import { isForTwo } from "../../live/match/timeBank";
import { choiceName, choiceColumns, control, votesText } from "../ballot/choice";
import { turnVerdict } from "./choiceAnalysis";
import { fillTeamNames } from "./drawnBoard";
import { formatClock, formatLongTime, formatPercent, formatNumber } from "../../live/format";
import { endText, currentSide } from "./sides";
import * as say from "../texts";
import { shortTeamName } from "./teamNames";
import { isSealed, ownColumn, type PhoneView } from "../seat/phoneView";

// Sentences needed after the first vote: about a ballot's status, a reveal, or the end of a match.

export const { card, oneDevice } = say;

export function sentence(view: PhoneView, match: Match | null): string {
  const { phase, ballot, hands } = view;
  if (!match && !hands) return calm(view.event, view.team);
  if (!match || (hands && phase === "voting")) return say.hands;
  if (phase === "ended") return end(view, match);
  if (phase === "reveal") return reveal(view, match, match.reveal!);
  if (phase === "paused") return join(say.paused, ballot.heldChoice !== null && say.voteKept);
  if (phase === "sealed") return sealed(view, match);
  return phase === "waiting" ? halfTurnText(view, match) : voting(view, match);
}

/** Before a match without a projector, or after an aborted one. */
function calm({ match, teams }: EventState, team: number): string {
  if (match) return say.stopped;
  const solo = teams.find((candidate) => candidate.solo);
  if (!solo) return say.waits;
  return solo.number === team ? say.gathers : say.amidst(solo.name);
}

const wording = ({ match }: PhoneView): Wording => (isForTwo(match) ? say.forTwo : say);

type Wording = Pick<typeof say, Exclude<keyof typeof say.forTwo, "won">>;

const join = (...parts: readonly (string | false | null | undefined)[]) => parts.filter(Boolean).join(" ");

const isToMove = ({ side }: PhoneView, { turn }: Pick<Match, "turn">) => turn!.to_move.includes(side);

function voting(view: PhoneView, match: Match): string {
  const { ballot, event, side } = view;
  if (!isToMove(view, match)) return match.board.vote ? halfTurnText(view, match) : wording(view).theirTurn(shortTeamName(event, otherSide(side)));
  if (ballot.status === "refused") return refused(view, match);
  if (ballot.elsewhere) return join(wording(view).elsewhere, say.wasFor(choiceName(match, ballot.choice!)));
  return choosing(view, match);
}

/** In a turn of two halves: which team votes, and whether in secret. */
function halfTurnText(view: PhoneView, { board, turn }: Match): string {
  const they = shortTeamName(view.event, turn!.to_move[0]!);
  if (isToMove(view, { turn })) return board.vote === "open" ? wording(view).openly : say.inSecret;
  return board.vote === "open" ? wording(view).theyOpenly(they) : say.theySecretly(they);
}

function choosing(view: PhoneView, match: Match): string {
  const { ballot, connection, hidden } = view;
  if (!ballot.choice) return join(note(view), isCaptain(view, match) && say.youDecideTies, offerText(view, match) || invitation(view, match));
  const name = choiceName(match, ballot.choice);
  if (ballot.status === "sending") return connection.state === "joined" ? wording(view).sending(name) : wording(view).notYet(name);
  if (connection.state !== "joined") return join(say.notConnected, say.voteKept);
  if (hidden) return wording(view).countedHidden;
  return (control(match)?.counted ?? wording(view).counted)(name);
}

function invitation(view: PhoneView, match: Match): string {
  const { board } = match;
  const half = board.vote && halfTurnText(view, match);
  const several = control(match)?.invitation;
  return several ? join(half, several) : half || (board.rows ? say.pick : say.choose);
}

const isCaptain = ({ event, team, voterCode }: PhoneView, { tie_rule }: Match) => tie_rule === "captain" && !!voterCode && event.teams[team - 1]!.captain === voterCode;

function sealed(view: PhoneView, match: Match): string {
  const { ballot, hidden, hands } = view;
  const text = isSealed(view) ? (match.host_wait_s ? say.sealedUntilHost : wording(view).sealed) : say.timeIsUp;
  if (!isToMove(view, match) || hands) return text;
  if (ballot.status === "refused") return refused(view, match);
  if (ballot.status === "sending") return join(text, wording(view).waitingForReceipt);
  return join(text, ballot.choice === null ? wording(view).notVoted : !hidden && wording(view).youVoted(choiceName(match, ballot.choice)));
}

function refused(view: PhoneView, match: Match): string {
  const { choice, reason, heldChoice } = view.ballot;
  return join(`${say.notCounted}: ${say.reasons[reason ?? "late"]}.`, !view.hidden && heldChoice !== null && heldChoice !== choice && wording(view).stands(choiceName(match, heldChoice)));
}

function reveal(view: PhoneView, match: Match, revealed: Reveal): string {
  const step = revealStep(match, view.now);
  if (step === "sealed") return wording(view).allCountedNow;
  if (step === "pour") return wording(view).howVoted;
  if (step === "picks") return picks(view, match, revealed);
  if (step === "drops") return drops(view, match, revealed);
  if (match.result === "open") {
    const verdict = match.turn?.paused ? "" : turnVerdict(view);
    const offer = offerText(view, match);
    return verdict ? join(note(view), verdict, offer) : join(note(view), fate(view, revealed), offer, match.turn?.paused ? say.paused : say.nextTurn);
  }
  if (!revealed.resolution.double_win) return join(fate(view, revealed), winner(view, match), match.end_reason === "agreed" && reasonText(view, match));
  return view.now < verdictMoment(match) ? say.endSentence(say.bothLines) : join(winner(view, match), reasonText(view, match));
}

/** The draw offer that stands, with its share of the team's votes. */
function offerText({ event, side }: PhoneView, { turn, reveal }: Match): string {
  const by = turn?.draw_offered_by;
  if (!by) return "";
  const tally = reveal?.[by];
  const share = tally?.draw_votes && !event.hidden.includes("tally") ? ` · ${formatPercent(tally.draw_votes, tally.ballots)}` : "";
  return say.endSentence((by === side ? say.weOfferDraw : say.theyOfferDraw(shortTeamName(event, by))) + share);
}

function picks(view: PhoneView, match: Match, revealed: Reveal): string {
  const { board, max_side_changes } = match;
  const { side } = view;
  const other = otherSide(side);
  const tally = revealed[side];
  // With secret sides, the phone's text must not depend on the voter's side.
  if (max_side_changes) return join(theirPick(view, board, revealed, side), theirPick(view, board, revealed, other));
  return tally ? ownPick(view, tally, match) : theirPick(view, board, revealed, other);
}

function theirPick({ event }: PhoneView, board: Board, revealed: Reveal, side: Side): string {
  const tally = revealed[side];
  const name = shortTeamName(event, side);
  return tally?.decided_by === "resign" ? say.gaveUp(name) : say.theyPicked(name, tally?.pick ? optionName(board, tally.pick) : null);
}

function ownPick(view: PhoneView, tally: SideTally, match: Match): string {
  const own = view.hidden ? null : ownColumn(view);
  const { pick, ballots, decided_by } = tally;
  if (decided_by === "resign") return say.weGaveUp;
  if (pick === null) return wording(view).noDrop;
  const name = optionName(match.board, pick);
  if (!tally.counts.length || (ballots && view.event.hidden.includes("tally"))) return say.picking(name);
  if (decided_by === "random" || !ballots) return wording(view).lot(name);
  if (isForTwo(match)) return say.forTwo.youVoted(name);
  if (decided_by === "lot") return join(say.picking(name), say.endSentence(say.drawnTie));
  const [votes, of] = support(match, tally);
  const share = formatPercent(votes, of);
  if (tally.rounds?.[1]) return say.pickedInRound(name, tally.rounds.length, share);
  const counted = choiceColumns(own, match).slice(0, tally.rounds ? 1 : undefined); // of a ranking, its first choice
  const isUnknown = hasPoints(match) || !counted.includes(pick);
  if (isUnknown) return join(say.picked(name, share, votesText(match, votes)), own !== null && say.youVoted(choiceName(match, own)));
  return votes > 1 ? say.pickedWithYou(name, share, formatNumber(votes - 1)) : say.pickedByYou(name, share);
}

function drops(view: PhoneView, match: Match, revealed: Reveal): string {
  const { event } = view;
  const { conflict, token_before } = revealed.resolution;
  if (LANGUAGE === event.language && revealed.resolution.sentences.length) return words(view, revealed);
  if (conflict === null || token_before === null) return picks(view, match, revealed);
  return say.both(conflict, shortTeamName(event, token_before));
}

/** After a conflict: whose ball had no room, or who gets the token. */
function fate({ event }: PhoneView, { resolution }: Reveal): string {
  const forfeited = resolution.drops.find(({ row }) => row === null);
  if (forfeited) return say.full(forfeited.column, shortTeamName(event, forfeited.side));
  const receiver = tokenReceiver(resolution);
  return receiver ? say.tokenTo(shortTeamName(event, receiver)) : "";
}

function winner({ event }: PhoneView, { result }: Match): string {
  return result === "open" || result === "draw" ? say.nobodyWins : say.wins(shortTeamName(event, result));
}

function end(view: PhoneView, match: Match): string {
  const turns = Object.values(view.record.agreed);
  const isShort = match.end_reason === "line" && turns.length > 0 && !isForTwo(match);
  const summary = match.max_side_changes ? endText(view, match) : isShort && say.withTeam(turns.filter(Boolean).length, turns.length);
  return join(winner(view, match), reasonText(view, match), summary);
}

/** Why the match ended, as a sentence. */
export function reasonText({ event }: Pick<PhoneView, "event">, { result, end_reason, reveal }: Match): string {
  if (end_reason === "game" && LANGUAGE === event.language) return fillTeamNames({ event }, reveal!.resolution.sentences.slice(-1).join(""));
  const winner = result === "red" || result === "yellow" ? result : null;
  const text = endReasonText(end_reason, winner ? shortTeamName(event, winner) : "", winner ? shortTeamName(event, otherSide(winner)) : "");
  return text && say.endSentence(text);
}

/** A quiet note about the previous vote's receipt. */
function note(view: PhoneView): string {
  const last = view.receipts[view.receipts.length - 1];
  if (last?.late) return say.lateLast;
  return last?.found === "elsewhere" ? wording(view).elsewhere : last?.found === "unsure" ? wording(view).unsureLast : "";
}

const words = (view: Pick<PhoneView, "event">, { resolution }: Reveal) => fillTeamNames(view, resolution.sentences.join(" "));

/** Describes the drops after they have landed, for screen readers. */
export function movesText({ event, match, phase, now }: PhoneView): string {
  const revealed = match?.reveal;
  if (!revealed || (phase === "reveal" && revealStep(match!, now) !== "lines")) return "";
  if (revealed.resolution.sentences.length) return words({ event }, revealed);
  const moves = revealed.resolution.drops.map(({ side, column, row }) =>
    row ? say.inColumn(shortTeamName(event, side), column) : say.full(column, shortTeamName(event, side)),
  );
  return moves.join(", ");
}

/** The word or number inside the shape. */
export function shapeText(view: PhoneView, match: Match): string {
  const { phase, now, side } = view;
  const { turn } = match;
  const step = revealStep(match, now);
  const time = (left: number) => formatClock(left) || formatLongTime(left);
  if (phase === "ended") return outcome(match, currentSide(view));
  if (phase === "paused") return time(heldMs(turn!));
  if (phase === "sealed") return isSealed(view) ? say.sealedShape : say.closedShape;
  if (step === "sealed" || step === "pour") return say.countedShape;
  const pick = match.reveal?.[side]?.pick;
  if (step !== "lines" || now < verdictMoment(match)) return pick ? optionName(match.board, pick) : "–";
  return !turn ? outcome(match, currentSide(view)) : turn.paused ? "" : time(turn.opens_at - now);
}

function outcome({ result }: Match, side: string): string {
  if (result === "open") return say.over;
  return result === "draw" ? say.draw : result === side ? say.won : say.lost;
}
