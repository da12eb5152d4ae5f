import { CAPTIONS, ROUNDS_CAPTIONS } from "../../methodCaptions";
import type { Admission, Board, CloseCall, Deciding, EventState, Match, Side, SideTally } from "../../protocol";
import { otherSide } from "../../live/match/grid";
import { formatNumber, formatPercent } from "../../live/format";
import { n, p, t } from "../../live/i18n";
import { isThreatConflict, blockText, bothLinesText, closeCallText } from "./commentary";
import { optionName } from "../../board/geometry";
import { fillTeamNames, plainText, teamName, type Sentence, type MatchContext, type RevealContext } from "./sentence";
import { endReasonText } from "../../live/match/endReason";
import { isForTwo } from "../../live/match/timeBank";
import { tokenReceiver } from "../../live/match/phase";
import { currentSeries } from "../../live/match/series";
import { hasPoints, support } from "../../live/match/support";
import type { TimelineStep } from "../scene/timeline";
import { LATE_MS, matchWinner } from "../scene/scene";
import { isPartHidden, sidePlace, share, tallyForSide, teamAtPlace } from "../scene/places";

/** The caption of a reveal step; empty if the picture needs none. An instant reveal leaves no time to read. */
export function revealSentence(step: TimelineStep, context: RevealContext, call: CloseCall | null): Sentence {
  return context.match.pace === "instant" ? [] : fillTeamNames(context, TEXTS[step](context, call));
}

const TEXTS: Record<TimelineStep, (context: RevealContext, call: CloseCall | null) => string> = {
  sealed: counted, pour: counted, picks, hold: picks, drops, second: drops, lines, verdict: outcome, token: afterwards, replay: closeCallText, over: afterwards,
};

/** Shown between the deadline and the reveal, `waitedMs` after the deadline. */
export function sealed(match: Match | null, waitedMs: number): string {
  if (match?.host_wait_s) return t("Votes are in");
  return waitedMs < LATE_MS ? sealText(match) : t("The result is delayed");
}

function counted({ match, reveal }: RevealContext): string {
  return sealed(match, reveal.resolved_at - reveal.sealed_at);
}

/** A side's seal. */
export function sealText(match: Match | null): string {
  return isForTwo(match) ? p("votes", "Sealed") : t("Votes sealed");
}

/** The sides that had to pick, the one on the left of the screen first. */
function movers({ match, reveal }: RevealContext): Side[] {
  const sides: Side[] = sidePlace(match, "red") === 0 ? ["red", "yellow"] : ["yellow", "red"];
  return sides.filter((side) => tallyForSide(reveal, side));
}

function picks(context: RevealContext): string {
  const { conflict: column, token_before } = context.reveal.resolution;
  if (column !== null && isThreatConflict(context)) return t("Both saw the winning column: %(column)s", { column });
  if (column !== null) return token_before ? t("Both chose column %(column)s: the token decides", { column }) : t("Both chose column %(column)s", { column });
  const resigning = movers(context).filter((side) => tallyForSide(context.reveal, side)?.decided_by === "resign");
  if (resigning.length > 1) return t("Both teams give up");
  return resigning[0] ? t("%(name)s gives up", { name: teamName(resigning[0]) }) : "";
}

/** Who drops first, and what happens to the token or to a ball without room. */
function drops({ reveal: { resolution } }: RevealContext): string {
  const [happened] = resolution.sentences;
  if (happened) return happened;
  const [first, second] = resolution.drops;
  if (!first) return t("No balls drop this turn");
  if (resolution.conflict === null || !second) return "";
  if (second.row === null) return t("Column %(column)s is full: %(name)s loses the drop", { column: second.column, name: teamName(second.side) });
  const name = teamName(first.side);
  const receiver = tokenReceiver(resolution);
  return receiver ? t("%(name)s drops first, %(other)s gets the token", { name, other: teamName(receiver) }) : t("%(name)s holds the token and drops first", { name });
}

function lines(context: RevealContext): string {
  return context.reveal.resolution.double_win ? t("Four in a row for both") : outcome(context);
}

function outcome(context: RevealContext): string {
  const { result, lines, sentences, double_win, token_before } = context.reveal.resolution;
  if (result === "draw") return sentences.length ? t("A draw") : t("The board is full: a draw");
  if (result === "open") return openText(context);
  const name = teamName(result);
  if (double_win) return result === token_before ? t("Four in a row for both: %(name)s held the token and wins", { name }) : endReasonText("other", name, teamName(otherSide(result)));
  if (lines.length > 1) return n("%(count)s line at once: %(name)s wins", "%(count)s lines at once: %(name)s wins", lines.length, { name });
  return lines.length ? t("%(name)s has four in a row", { name }) : t("%(name)s wins", { name });
}

/** Who receives the token, if the caption of the drops said instead that a ball has no room. */
function afterwards(context: RevealContext): string {
  const { resolution } = context.reveal;
  const receiver = tokenReceiver(resolution);
  return receiver && resolution.drops.some(({ row }) => row === null) ? t("%(name)s gets the token", { name: teamName(receiver) }) : outcome(context);
}

/** Threats are named when the next vote opens. */
function openText(context: RevealContext): string {
  return context.reveal.resolution.sentences.at(-1) ?? (blockText(context) || drops(context));
}

/** What people need to join (a ticket or code), or what this screen lacks; empty if a device is enough. */
export function admissionHint(admission: Admission): string {
  if (admission === "tickets") return t("You need your ticket");
  if (admission === "roster") return t("You need your code from the class list");
  return admission === "rotating" ? t("Open this screen from the console") : "";
}

/** How a side's pick was decided, if that needs an explanation. Without counts, says only that nobody voted. */
export function decisionText(match: Match, tally: SideTally, counted: boolean, column = `${tally.pick ?? ""}`): string {
  const { ballots, decided_by, resigning } = tally;
  if (decided_by === "resign") return counted ? resignationText(resigning, ballots) : t("Voted to give up");
  if (!counted && ballots > 0) return "";
  const round = tally.rounds?.length ?? 1;
  const texts: { [decision in Deciding]?: string } = {
    random: t("Nobody voted: drawn at random"),
    pass: t("Nobody voted: no move"),
    forfeit: t("Nobody voted: match forfeited"),
    lot: round > 1 ? t("A tie, drawn at random: %(column)s wins in round %(round)s", { column, round }) : t("A tie, drawn at random"),
    first: round > 1 ? t("A tie, earlier votes decide: %(column)s wins in round %(round)s", { column, round }) : t("A tie: %(column)s got there first", { column }),
    captain: round > 1 ? t("A tie: the captain decided, %(column)s wins in round %(round)s", { column, round }) : t("A tie: the captain decided"),
  };
  return (decided_by && texts[decided_by]) ?? methodCaption(match, tally);
}

function resignationText(resigning: number, ballots: number): string {
  return n("%(resigning)s of %(count)s vote to give up", "%(resigning)s of %(count)s votes to give up", ballots, { resigning: formatNumber(resigning), count: formatNumber(ballots) });
}

/** How the voting method decided, if that needs an explanation. */
function methodCaption(match: Match, tally: SideTally): string {
  const { ballots, decided_by, pick, rounds } = tally;
  if (decided_by === null || pick === null) return "";
  const round = rounds?.length ?? 1;
  const caption = (round > 1 && ROUNDS_CAPTIONS[decided_by]) || CAPTIONS[decided_by];
  return caption?.({ ballots, round, share: formatPercent(share(match, tally, pick), 1) }) ?? "";
}

interface Verdict {
  title: string;
  line: string;
  /** Why the match ended. Empty if `line` says it. */
  reason: string;
  winner: Side | null;
}

/** The result of a match. A team's own screen addresses the winner directly. */
export function matchVerdict({ state, home }: { state: EventState; home: boolean }, match: Match): Verdict {
  const winner = matchWinner(match);
  if (match.state === "aborted") return { title: p("match", "Stopped"), line: t("This match does not count"), reason: "", winner };
  if (!winner) return { title: t("A draw"), line: drawText(match), reason: "", winner };
  const place = sidePlace(match, winner);
  const { name } = teamAtPlace(state, place);
  const isSeriesOver = currentSeries(state).winner !== null;
  const line = home && place === 0 ? ownVictoryText(match, isSeriesOver) : victoryText(match, isSeriesOver);
  return { title: name, line, reason: reasonText({ state, match }, winner), winner };
}

/** A game with its own drawing says it in its last sentence. */
function reasonText(context: MatchContext, winner: Side | null): string {
  const { end_reason, reveal } = context.match;
  const own = end_reason === "game" ? reveal?.resolution.sentences.at(-1) : null;
  const text = own ?? endReasonText(end_reason, winner ? teamName(winner) : "", winner ? teamName(otherSide(winner)) : "");
  return plainText(context, text);
}

function drawText(match: Match): string {
  const { end_reason, reveal } = match;
  const turns = reveal?.number ?? 0;
  if (end_reason === "game") return n("after %(count)s turn", "after %(count)s turns", turns);
  if (end_reason === "full") return n("The board is full after %(count)s turn", "The board is full after %(count)s turns", turns);
  return endReasonText(end_reason, "", "");
}

/** Below the winner's name. */
function victoryText({ reveal }: Match, isSeriesOver: boolean): string {
  return isSeriesOver ? t("wins the series") : n("wins in %(count)s turn", "wins in %(count)s turns", reveal?.number ?? 0);
}

function ownVictoryText({ reveal }: Match, isSeriesOver: boolean): string {
  return isSeriesOver ? t("You win the series") : n("You win in %(count)s turn", "You win in %(count)s turns", reveal?.number ?? 0);
}

function choiceText(board: Board, pick: number): string {
  return board.kind === "drawn" ? optionName(board, pick) : p("after a verb", "column\u00a0%(column)s", { column: pick });
}

/** How many of the winner's voters chose the winning drop; if both teams had four in a row, the columns of both. */
export function unitedText(state: EventState, match: Match, winner: Side): string {
  const resolution = match.reveal?.resolution;
  return resolution?.double_win ? plainText({ state, match }, bothLinesText(resolution)) : unityText(state, match, winner);
}

/** How many of the winner's voters chose the winning drop. Empty in a duel or if the counts are hidden. */
function unityText(state: EventState, match: Match, winner: Side): string {
  const { reveal, ended_by, clocks } = match;
  if (clocks && !clocks.crowd) return "";
  if (isPartHidden(state, "tally") || isPartHidden(state, "turnout")) return "";
  const tally = tallyForSide(reveal, winner);
  if (ended_by !== "board" || !tally || tally.pick === null || !tally.ballots) return "";
  const [votes, of] = support(match, tally);
  const choice = choiceText(match.board, tally.pick);
  const share = formatPercent(votes, of);
  if (hasPoints(match)) return t("%(share)s of the highest possible score for %(choice)s", { share, choice });
  const count = formatNumber(of);
  if (votes < of) return n("%(share)s of %(count)s voter chose %(choice)s", "%(share)s of %(count)s voters chose %(choice)s", of, { share, choice, count });
  return n("One voter chose %(choice)s", "All %(count)s voters chose %(choice)s", of, { choice, count });
}
