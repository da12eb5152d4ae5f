import type { Admission, EventState, Match, Reveal, Side, SideTally } from "../protocol";
import { otherSide } from "../live/grid";
import { threats } from "../board/threats";
import type { Step } from "./timeline";
import { winnerOf } from "./scene";
import { percent, placeOf, plural, tallyOf, teamOf } from "./sides";

/** A sentence in parts; a part with a side is that team's name and takes its colour. */
export type Part = string | { side: Side; name: string };
export type Sentence = readonly Part[];

const FOURS = ["simultaneous-captains-mistress", "captains-mistress"];

interface Told {
  state: EventState;
  match: Match;
  reveal: Reveal;
}

export function sentenceOf(step: Step, told: Told): Sentence {
  switch (step) {
    case "sealed":
    case "pour":
      return ["Sealed: ", ballotsOf(told.reveal)];
    case "picks":
      return picks(told);
    case "drops":
      return drops(told);
    case "second":
      return second(told);
    case "token":
      return passing(told);
    default:
      return outcome(told);
  }
}

function ballotsOf({ red, yellow }: Reveal): string {
  return plural((red?.ballots ?? 0) + (yellow?.ballots ?? 0), "vote");
}

function name({ state, match }: Told, side: Side): Part {
  return { side, name: teamOf(state, placeOf(match, side)).name };
}

/** The sides that had to pick, the one on the left of the screen first. */
function movers({ match, reveal }: Told): Side[] {
  const sides: Side[] = placeOf(match, "red") === 0 ? ["red", "yellow"] : ["yellow", "red"];
  return sides.filter((side) => tallyOf(reveal, side));
}

function picks(told: Told): Sentence {
  const { resolution } = told.reveal;
  if (resolution.conflict !== null) return [`Both chose column ${resolution.conflict}`];
  return movers(told).flatMap((side, index) => {
    const pick = tallyOf(told.reveal, side)?.pick ?? null;
    return [index > 0 ? ", " : "", name(told, side), pick === null ? " drops nothing" : ` plays ${pick}`];
  });
}

function drops(told: Told): Sentence {
  const { resolution } = told.reveal;
  const first = resolution.drops[0];
  if (!first) return ["Nothing drops this turn"];
  if (resolution.conflict === null) return picks(told);
  return [name(told, first.side), " holds the token and drops first"];
}

function second(told: Told): Sentence {
  const drop = told.reveal.resolution.drops[1];
  if (!drop) return drops(told);
  if (drop.row === null) return [`Column ${drop.column} is full: `, name(told, drop.side), " loses the drop"];
  return [name(told, drop.side), " lands on top"];
}

function passing(told: Told): Sentence {
  const { token_after } = told.reveal.resolution;
  return token_after ? ["The token passes to ", name(told, token_after)] : [];
}

function outcome(told: Told): Sentence {
  const { result, lines } = told.reveal.resolution;
  if (result === "draw") return ["The board is full: a draw"];
  if (result === "open") return ahead(told);
  if (lines.length > 1) return [`${lines.length} lines at once: `, name(told, result), " wins"];
  return [name(told, result), lines.length ? ` has four in a row` : " wins"];
}

function ahead(told: Told): Sentence {
  const { match } = told;
  const sides: Side[] = ["red", "yellow"];
  const near = FOURS.includes(match.game) ? sides.filter((side) => threats(match.board, side).length > 0) : [];
  if (near.length === 2) return ["Both are one ball from four in a row"];
  if (near[0]) return [name(told, near[0]), " is one ball from four in a row"];
  return match.turn ? [`Turn ${match.turn.number} is next`] : [];
}

/** What people have to bring, or what is missing on this screen; nothing where a device is enough. */
export function needed(admission: Admission): string {
  if (admission === "tickets") return "You need your ticket";
  if (admission === "roster") return "You need your code from the class list";
  return admission === "rotating" ? "Open this screen from the control room" : "";
}

/** How a side's pick came about, where that needs to be said. */
export function decision({ ballots, pick, decided_by }: SideTally): string {
  switch (decided_by) {
    case "random":
      return "Nobody voted: drawn by lot";
    case "pass":
      return "Nobody voted: nothing drops";
    case "forfeit":
      return "Nobody voted: match given up";
    case "lot":
      return "A tie, decided by lot";
    case "first":
      return `A tie: ${pick ?? "this"} was there first`;
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

export function verdict(state: EventState, match: Match): Verdict {
  const turns = match.reveal ? plural(match.reveal.number, "turn") : "";
  const winner = winnerOf(match);
  if (match.state === "aborted") return { title: "Stopped", line: "This match does not count", winner };
  if (!winner) return { title: "A draw", line: turns && `The board is full after ${turns}`, winner };
  const loser = teamOf(state, placeOf(match, otherSide(winner))).name;
  const line = match.ended_by === "forfeit" ? `wins: no votes from ${loser}` : `wins in ${turns}`;
  return { title: teamOf(state, placeOf(match, winner)).name, line, winner };
}

/** How many voted for the drop that won, and how united they were. */
export function unity({ reveal, ended_by }: Match, winner: Side): string {
  const tally = tallyOf(reveal, winner);
  if (ended_by !== "board" || !tally || tally.pick === null || !tally.ballots) return "";
  return `${voters(tally.counts[tally.pick - 1] ?? 0, tally.ballots)} chose column\u00a0${tally.pick}`;
}

function voters(votes: number, ballots: number): string {
  if (votes < ballots) return `${percent(votes / ballots)} % of ${plural(ballots, "voter")}`;
  return votes === 1 ? "One voter" : `All ${plural(votes, "voter")}`;
}

/** Matches won by each team so far, and drawn ones: `[first, second, drawn]`. */
export function series(state: EventState): readonly [number, number, number] {
  const won = new Map(state.finished.map(({ number, winner }) => [number, winner] as const));
  const { match } = state;
  if (match?.state === "ended") won.set(match.number, winningTeam(match));
  const count = (winner: number | null) => [...won.values()].filter((each) => each === winner).length;
  return [count(1), count(2), count(null)];
}

function winningTeam(match: Match): number | null {
  const side = winnerOf(match);
  return side && match[side];
}
