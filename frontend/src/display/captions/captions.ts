import { CAPTIONS, ROUNDS_CAPTIONS } from "../../methods";
import type { Admission, Board, CloseCall, Deciding, EventState, Match, Side, SideTally } from "../../protocol";
import { otherSide } from "../../live/match/grid";
import { isThreatConflict, blockSentence, isDoubleLine, closeCallSentence } from "./commentary";
import { optionName } from "../../board/geometry";
import { teamName, type Sentence, type RevealContext } from "./sentence";
import { currentSeries } from "../../live/match/series";
import { hasPoints, support } from "../../live/match/support";
import type { TimelineStep } from "../scene/timeline";
import { matchWinner } from "../scene/scene";
import { isPartHidden, roundedPercent, sidePlace, pluralize, share, tallyForSide, teamAtPlace } from "../scene/places";

/** The caption of a reveal step; empty if the picture needs none. An instant reveal leaves no time to read. */
export function revealSentence(step: TimelineStep, context: RevealContext, call: CloseCall | null): Sentence {
  return context.match.pace === "instant" ? [] : SENTENCES[step](context, call);
}

const SENTENCES: Record<TimelineStep, (context: RevealContext, call: CloseCall | null) => Sentence> = {
  sealed, pour: sealed, picks, hold: picks, drops, second: drops, token: drops, lines: outcome, replay: closeCallSentence, over: outcome,
};

/** Also shown between the deadline and the reveal. */
export function sealed(): Sentence {
  return ["Votes sealed"];
}

/** The sides that had to pick, the one on the left of the screen first. */
function movers({ match, reveal }: RevealContext): Side[] {
  const sides: Side[] = sidePlace(match, "red") === 0 ? ["red", "yellow"] : ["yellow", "red"];
  return sides.filter((side) => tallyForSide(reveal, side));
}

function picks(context: RevealContext): Sentence {
  const { resolution } = context.reveal;
  if (resolution.conflict !== null) return [`${isThreatConflict(context) ? "Both saw it:" : "Both chose"} column ${resolution.conflict}`];
  const resigning = movers(context).filter((side) => tallyForSide(context.reveal, side)?.decided_by === "resign");
  if (resigning.length > 1) return ["Both teams give up"];
  if (resigning[0]) return [teamName(context, resigning[0]), " gives up"];
  return [];
}

/** Who drops first, and what happens to the token or to a ball without room. */
function drops(context: RevealContext): Sentence {
  const { resolution } = context.reveal;
  const [happened] = resolution.sentences;
  if (happened) return fillTeamNames(context, happened);
  const [first, second] = resolution.drops;
  if (!first) return ["No balls drop this turn"];
  if (resolution.conflict === null || !second) return [];
  if (second.row === null) return [`Column ${second.column} is full: `, teamName(context, second.side), " loses the drop"];
  const { token_before, token_after } = resolution;
  const gets = token_after && token_after !== token_before ? [", ", teamName(context, token_after), " gets the token"] : [];
  return [teamName(context, first.side), " drops first", ...gets];
}

function outcome(context: RevealContext): Sentence {
  const { result, lines, sentences } = context.reveal.resolution;
  if (result === "draw") return [sentences.length ? "A draw" : "The board is full: a draw"];
  if (result === "open") return openSentence(context);
  if (isDoubleLine(context, result)) return ["Four in a row for both: ", teamName(context, result), " wins"];
  if (lines.length > 1) return [`${lines.length} lines at once: `, teamName(context, result), " wins"];
  return [teamName(context, result), lines.length ? ` has four in a row` : " wins"];
}

/** A game's own sentence with the teams' names filled in. */
function fillTeamNames(context: RevealContext, sentence: string): Sentence {
  return sentence.split(/\{(red|yellow)\}/).map((part, index) => (index % 2 ? teamName(context, part as Side) : part));
}

/** Threats are named when the next vote opens. */
function openSentence(context: RevealContext): Sentence {
  const last = context.reveal.resolution.sentences.at(-1);
  if (last) return fillTeamNames(context, last);
  const done = blockSentence(context);
  return done.length ? done : drops(context);
}

/** What people need to join (a ticket or code), or what this screen lacks; empty if a device is enough. */
export function admissionHint(admission: Admission): string {
  if (admission === "tickets") return "You need your ticket";
  if (admission === "roster") return "You need your code from the class list";
  return admission === "rotating" ? "Open this screen from the console" : "";
}

/** How a side's pick was decided, if that needs an explanation. Without counts, says only that nobody voted. */
export function decisionText(match: Match, tally: SideTally, counted: boolean, name = `${tally.pick ?? "this"}`): string {
  const { ballots, decided_by, rounds, resigning } = tally;
  if (decided_by === "resign") return counted ? `${resigning} of ${pluralize(ballots, "vote")} to give up` : "Voted to give up";
  if (!counted && ballots > 0) return "";
  const counts = rounds && rounds.length > 1 ? `: ${name} wins in round ${rounds.length}` : "";
  const texts: { [decision in Deciding]?: string } = {
    random: "Nobody voted: drawn at random",
    pass: "Nobody voted: no move",
    forfeit: "Nobody voted: match forfeited",
    lot: `A tie, decided at random${counts}`,
    first: counts ? `A tie, earlier votes decide${counts}` : `A tie: ${name} got there first`,
    captain: `A tie: the captain decided${counts && `, ${counts.slice(2)}`}`,
  };
  return (decided_by && texts[decided_by]) ?? methodCaption(match, tally);
}

/** How the voting method decided, if that needs an explanation. */
function methodCaption(match: Match, tally: SideTally): string {
  const { ballots, decided_by, pick, rounds } = tally;
  if (decided_by === null || pick === null) return "";
  const several = rounds && rounds.length > 1;
  const parts: { [name: string]: string } = {
    voters: pluralize(ballots, "voter"),
    votes: pluralize(ballots, "vote"),
    share: roundedPercent(share(match, tally, pick)),
    round: `${rounds?.length}`,
  };
  const caption = (several && ROUNDS_CAPTIONS[decided_by]) || CAPTIONS[decided_by] || "";
  return caption.replace(/\{(\w+)\}/g, (_, name: string) => parts[name]!);
}

interface Verdict {
  title: string;
  line: string;
  winner: Side | null;
}

/** A team's own screen addresses the winner directly. */
export function matchVerdict({ state, home }: { state: EventState; home: boolean }, match: Match): Verdict {
  const { winner: champion } = currentSeries(state);
  const turns = match.reveal ? pluralize(match.reveal.number, "turn") : "";
  const winner = matchWinner(match);
  if (match.state === "aborted") return { title: "Stopped", line: "This match does not count", winner };
  const byTime = match.ended_by === "time";
  const gaveUp = match.ended_by === "resign";
  if (!winner && gaveUp) return { title: "A draw", line: "Both gave up", winner };
  if (!winner && byTime) return { title: "A draw", line: "Both ran out of time", winner };
  if (!winner) return { title: "A draw", line: turns && drawn(match, turns), winner };
  const place = sidePlace(match, winner);
  const { name } = teamAtPlace(state, place);
  const wins = home && place === 0 ? "You win" : "wins";
  if (champion !== null) return { title: name, line: `${wins} the series`, winner };
  const loser = teamAtPlace(state, sidePlace(match, otherSide(winner))).name;
  if (gaveUp) return { title: name, line: `${wins}: ${loser} gave up`, winner };
  if (byTime) return { title: name, line: `${wins}: ${loser} ran out of time`, winner };
  if (match.ended_by === "deserted") return { title: name, line: `${wins}: everyone left ${loser}`, winner };
  return { title: name, line: match.ended_by === "forfeit" ? `${wins}: no votes from ${loser}` : `${wins} in ${turns}`, winner };
}

function drawn({ board }: Match, turns: string): string {
  return board.kind === "drawn" ? `after ${turns}` : `The board is full after ${turns}`;
}

function choice(board: Board, pick: number): string {
  return board.kind === "drawn" ? optionName(board, pick) : `column\u00a0${pick}`;
}

/** How many of the winner's voters chose the winning drop. Empty in a duel or if the counts are hidden. */
export function unityText(state: EventState, match: Match, winner: Side): string {
  const { reveal, ended_by, clocks } = match;
  if (clocks && !clocks.crowd) return "";
  if (isPartHidden(state, "tally") || isPartHidden(state, "turnout")) return "";
  const tally = tallyForSide(reveal, winner);
  if (ended_by !== "board" || !tally || tally.pick === null || !tally.ballots) return "";
  const [votes, of] = support(match, tally);
  const name = choice(match.board, tally.pick);
  if (hasPoints(match)) return `${roundedPercent(votes / of)} % of the highest possible score for ${name}`;
  return `${voters(votes, of)} chose ${name}`;
}

function voters(votes: number, ballots: number): string {
  if (votes < ballots) return `${roundedPercent(votes / ballots)} % of ${pluralize(ballots, "voter")}`;
  return votes === 1 ? "One voter" : `All ${pluralize(votes, "voter")}`;
}
