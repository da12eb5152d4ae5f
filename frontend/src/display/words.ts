import type { Admission, Board, EventState, Match, Reveal, Side, SideTally } from "../protocol";
import { otherSide } from "../live/grid";
import { ahead, bothSaw, happened, isDouble, secondLook } from "./announcer";
import type { CloseCall } from "./closecall";
import { nameOf as called } from "../board/geometry";
import { nameOf, type Sentence, type Told } from "./sentence";
import { seriesOf } from "../live/series";
import { support } from "../live/support";
import type { Step } from "./timeline";
import { winnerOf } from "./scene";
import { isHidden, percent, placeOf, plural, share, tallyOf, teamOf } from "./sides";

export function sentenceOf(step: Step, told: Told, call: CloseCall | null): Sentence {
  switch (step) {
    case "sealed":
    case "pour":
      return isHidden(told.state, "turnout") || isUntold(told.reveal) ? ["Sealed"] : ["Sealed: ", ballotsOf(told.reveal)];
    case "picks":
      return picks(told);
    case "drops":
      return drops(told);
    case "second":
      return second(told);
    case "token":
      return passing(told);
    case "replay":
      return secondLook(told, call);
    default:
      return outcome(told);
  }
}

/** While sides are secret only what was picked is told. */
function isUntold({ red, yellow }: Reveal): boolean {
  return !(red ?? yellow)?.counts.length;
}

function ballotsOf({ red, yellow }: Reveal): string {
  return plural((red?.ballots ?? 0) + (yellow?.ballots ?? 0), "vote");
}

/** The sides that had to pick, the one on the left of the screen first. */
function movers({ match, reveal }: Told): Side[] {
  const sides: Side[] = placeOf(match, "red") === 0 ? ["red", "yellow"] : ["yellow", "red"];
  return sides.filter((side) => tallyOf(reveal, side));
}

function picks(told: Told): Sentence {
  const { resolution } = told.reveal;
  if (resolution.conflict !== null) return [`${bothSaw(told) ? "Both saw it:" : "Both chose"} column ${resolution.conflict}`];
  const resigning = movers(told).filter((side) => tallyOf(told.reveal, side)?.decided_by === "resign");
  if (resigning.length > 1) return ["Both teams give up"];
  if (resigning[0]) return [nameOf(told, resigning[0]), " gives up"];
  return movers(told).flatMap((side, index) => {
    const pick = tallyOf(told.reveal, side)?.pick ?? null;
    return [index > 0 ? ", " : "", nameOf(told, side), pick === null ? " drops nothing" : ` plays ${called(told.match.board, pick)}`];
  });
}

function drops(told: Told): Sentence {
  const { resolution } = told.reveal;
  const [happened] = resolution.told;
  if (happened) return inWords(told, happened);
  const first = resolution.drops[0];
  if (!first) return ["Nothing drops this turn"];
  if (resolution.conflict === null) return picks(told);
  return [nameOf(told, first.side), " holds the token and drops first"];
}

function second(told: Told): Sentence {
  const drop = told.reveal.resolution.drops[1];
  if (!drop) return drops(told);
  if (drop.row === null) return [`Column ${drop.column} is full: `, nameOf(told, drop.side), " loses the drop"];
  return [nameOf(told, drop.side), " lands on top"];
}

function passing(told: Told): Sentence {
  const { token_after } = told.reveal.resolution;
  return token_after ? ["The token passes to ", nameOf(told, token_after)] : [];
}

function outcome(told: Told): Sentence {
  const { result, lines, told: sentences } = told.reveal.resolution;
  if (result === "draw") return [sentences.length ? "A draw" : "The board is full: a draw"];
  if (result === "open") return open(told);
  if (isDouble(told, result)) return ["Four in a row for both: ", nameOf(told, result), " wins"];
  if (lines.length > 1) return [`${lines.length} lines at once: `, nameOf(told, result), " wins"];
  return [nameOf(told, result), lines.length ? ` has four in a row` : " wins"];
}

/** A game's own sentence, with the teams' names put in. */
function inWords(told: Told, sentence: string): Sentence {
  return sentence.split(/\{(red|yellow)\}/).map((part, index) => (index % 2 ? nameOf(told, part as Side) : part));
}

/** What happened counts more than what is next; what is near is said again when the vote opens. */
function open(told: Told): Sentence {
  const [done, near] = [happened(told), ahead(told)];
  const last = told.reveal.resolution.told.at(-1);
  if (last) return inWords(told, last);
  if (done.length) return done;
  if (near.length) return near;
  return told.match.turn ? [`Turn ${told.match.turn.number} is next`] : [];
}

/** What people have to bring, or what is missing on this screen; nothing where a device is enough. */
export function needed(admission: Admission): string {
  if (admission === "tickets") return "You need your ticket";
  if (admission === "roster") return "You need your code from the class list";
  return admission === "rotating" ? "Open this screen from the control room" : "";
}

/** How a side's pick came about, where that needs to be said; without counts, only that nobody voted. */
export function decision(tally: SideTally, counted: boolean, name = `${tally.pick ?? "this"}`): string {
  const { ballots, decided_by, rounds, resigning } = tally;
  if (decided_by === "resign") return counted ? `${resigning} of ${plural(ballots, "vote")} to give up` : "The match is given up";
  if (!counted && ballots > 0) return "";
  const counts = rounds && rounds.length > 1 ? `: ${name} wins in round ${rounds.length}` : "";
  switch (decided_by) {
    case "random":
      return "Nobody voted: drawn by lot";
    case "pass":
      return "Nobody voted: nothing drops";
    case "forfeit":
      return "Nobody voted: match given up";
    case "lot":
      return `A tie, decided by lot${counts}`;
    case "first":
      return counts ? `A tie, by who was there first${counts}` : `A tie: ${name} was there first`;
    case "captain":
      return `A tie: the captain decided${counts && `, ${counts.slice(2)}`}`;
    case "runoff":
      return counts ? `${percent(share(tally, tally.pick!))} % put it first; it wins in round ${rounds!.length}` : "More than half at once";
    case "approval":
      return `of ${plural(ballots, "voter")} like it`;
    case "lottery":
      return `Drawn from ${plural(ballots, "vote")}`;
    default:
      return "";
  }
}

interface Verdict {
  title: string;
  line: string;
  winner: Side | null;
}

/** On its own screen a winner is spoken to. */
export function verdict({ state, home }: { state: EventState; home: boolean }, match: Match): Verdict {
  const { winner: champion } = seriesOf(state);
  const turns = match.reveal ? plural(match.reveal.number, "turn") : "";
  const winner = winnerOf(match);
  if (match.state === "aborted") return { title: "Stopped", line: "This match does not count", winner };
  const byTime = match.ended_by === "time";
  const gaveUp = match.ended_by === "resign";
  if (!winner && gaveUp) return { title: "A draw", line: "Both gave up", winner };
  if (!winner && byTime) return { title: "A draw", line: "Both ran out of time", winner };
  if (!winner) return { title: "A draw", line: turns && drawn(match, turns), winner };
  const place = placeOf(match, winner);
  const { name } = teamOf(state, place);
  const wins = home && place === 0 ? "You win" : "wins";
  if (champion !== null) return { title: name, line: `${wins} the series`, winner };
  const loser = teamOf(state, placeOf(match, otherSide(winner))).name;
  if (gaveUp) return { title: name, line: `${wins}: ${loser} gave up`, winner };
  if (byTime) return { title: name, line: `${wins}: ${loser} ran out of time`, winner };
  if (match.ended_by === "deserted") return { title: name, line: `${wins}: everybody has left ${loser}`, winner };
  return { title: name, line: match.ended_by === "forfeit" ? `${wins}: no votes from ${loser}` : `${wins} in ${turns}`, winner };
}

function drawn({ board }: Match, turns: string): string {
  return board.face === "drawn" ? `after ${turns}` : `The board is full after ${turns}`;
}

function choice(board: Board, pick: number): string {
  return board.face === "drawn" ? called(board, pick) : `column\u00a0${pick}`;
}

/** How many voted for the drop that won, and how united they were: one against one nobody asks. */
export function unity(state: EventState, match: Match, winner: Side): string {
  const { reveal, ended_by, clocks } = match;
  if (clocks && !clocks.crowd) return "";
  if (isHidden(state, "tally") || isHidden(state, "turnout")) return "";
  const tally = tallyOf(reveal, winner);
  if (ended_by !== "board" || !tally || tally.pick === null || !tally.ballots) return "";
  return `${voters(...support(tally))} chose ${choice(match.board, tally.pick)}`;
}

function voters(votes: number, ballots: number): string {
  if (votes < ballots) return `${percent(votes / ballots)} % of ${plural(ballots, "voter")}`;
  return votes === 1 ? "One voter" : `All ${plural(votes, "voter")}`;
}
