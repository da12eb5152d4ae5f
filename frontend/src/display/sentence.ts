import type { EventState, Match, Reveal, Side } from "../protocol";
import { placeOf, teamOf } from "./sides";

/** A sentence in parts; a part with a side is that team's name and takes its colour. */
export type Part = string | { side: Side; name: string };
export type Sentence = readonly Part[];

export interface Playing {
  state: EventState;
  match: Match;
}

/** What a sentence is about: the reveal, and the board as it stands after it. */
export interface Told extends Playing {
  reveal: Reveal;
}

export function nameOf({ state, match }: Playing, side: Side): Part {
  return { side, name: teamOf(state, placeOf(match, side)).name };
}
