import type { EventState, Match, Side, TurnoutCounted } from "../protocol";
import type { Cheers } from "./view";

type Pair = readonly [number, number];

/** What a screen is told that counts by team. */
interface Told {
  state: EventState;
  turnout: TurnoutCounted | null;
  cheers: Cheers;
}

/**
 * A school's own screen: whatever counts by team counts the home team first, which takes the left half. The team is
 * named by the colour of the first match; columns, colours and rules stay where they are.
 */
export function seenFrom(home: Side | null, told: Told): Told {
  if (home !== "yellow") return told;
  const { state, turnout, cheers } = told;
  return {
    state: turned(state),
    turnout: turnout && { ...turnout, connected: swapped(turnout.connected), voted: swapped(turnout.voted), picked_at: turnout.picked_at && swapped(turnout.picked_at) },
    cheers: { all: swapped(cheers.all), latest: swapped(cheers.latest) },
  };
}

function turned(state: EventState): EventState {
  const [one, two] = state.teams;
  const finished = state.finished.map((match) => ({ ...match, winner: match.winner && other(match.winner) }));
  return { ...state, teams: [two, one], finished, match: state.match && turnedMatch(state.match) };
}

function turnedMatch(match: Match): Match {
  return { ...match, red: other(match.red), yellow: other(match.yellow) };
}

function other(team: number): number {
  return 3 - team;
}

function swapped([one, two]: Pair): Pair {
  return [two, one];
}
