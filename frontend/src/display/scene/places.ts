import { mostVotes } from "../../live/match/support";
import type { EventState, Match, Part, Reveal, Side, SideTally, Team } from "../../protocol";

/** The first team stays on the left of the screen from match to match; its color is that of its side. */
export type Place = 0 | 1;
export const PLACES: readonly Place[] = [0, 1];

export function sideAtPlace(match: Match | null, place: Place): Side {
  if (!match) return place === 0 ? "red" : "yellow";
  return match.red === place + 1 ? "red" : "yellow";
}

/** Also works before the first match, when the first team is red. */
export function sideShownAtPlace({ state, match }: { state: EventState; match: Match | null }, place: Place): Side {
  if (match) return sideAtPlace(match, place);
  return teamAtPlace(state, place).number === 1 ? "red" : "yellow";
}

export function sidePlace(match: Match | null, side: Side): Place {
  return sideAtPlace(match, 0) === side ? 0 : 1;
}

export function teamAtPlace(state: EventState, place: Place): Team {
  return state.teams[place];
}

export function tallyForSide(reveal: Reveal | null, side: Side): SideTally | null {
  return reveal ? reveal[side] : null;
}

/** The share of a side's votes that went to a column, from 0 to 1. */
export function share(match: Match, tally: SideTally, column: number): number {
  return tally.ballots > 0 ? (tally.counts[column - 1] ?? 0) / mostVotes(match, tally) : 0;
}

/** Whether the organizer has hidden a part of this screen. */
export function isPartHidden({ hidden }: EventState, part: Part): boolean {
  return hidden.includes(part);
}

export function roundedPercent(part: number): string {
  return `${Math.round(part * 100)}`;
}
