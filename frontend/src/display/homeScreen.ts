import type { EventState, Match, Side, TurnoutCounted } from "../protocol";
import type { Cheers } from "./scene/stageView";

type Pair = readonly [number, number];

/** The parts of the state that count by team. */
interface PerTeamState {
  state: EventState;
  turnout: TurnoutCounted | null;
  cheers: Cheers;
}

/**
 * A view for a team's own screen: the home team is first in every per-team list and on the left half. The
 * team is named by its color in the first match. Columns, colors and rules do not change.
 */
export function fromHomeTeam(home: Side | null, view: PerTeamState): PerTeamState {
  if (home !== "yellow") return view;
  const { state, turnout, cheers } = view;
  return {
    state: swapTeams(state),
    turnout: turnout && { ...turnout, connected: swapPair(turnout.connected), voted: swapPair(turnout.voted), picked_at: turnout.picked_at && swapPair(turnout.picked_at) },
    cheers: { all: swapPair(cheers.all), latest: swapPair(cheers.latest) },
  };
}

function swapTeams(state: EventState): EventState {
  const [one, two] = state.teams;
  const finished = state.finished.map((match) => ({ ...match, winner: match.winner && otherTeam(match.winner) }));
  return { ...state, teams: [two, one], finished, match: state.match && swapMatchTeams(state.match) };
}

function swapMatchTeams(match: Match): Match {
  return { ...match, red: otherTeam(match.red), yellow: otherTeam(match.yellow) };
}

function otherTeam(team: number): number {
  return 3 - team;
}

function swapPair([one, two]: Pair): Pair {
  return [two, one];
}
