import type { EventState, Match, Reveal, Side } from "../../protocol";
import { sidePlace, teamAtPlace } from "../scene/places";

/** A sentence in parts. A part with a side is that team's name, shown in its color. */
export type SentencePart = string | { side: Side; name: string };
export type Sentence = readonly SentencePart[];

export interface MatchContext {
  state: EventState;
  match: Match;
}

/** The subject of a sentence: the reveal, and the board after it. */
export interface RevealContext extends MatchContext {
  reveal: Reveal;
}

export function teamName({ state, match }: MatchContext, side: Side): SentencePart {
  return { side, name: teamAtPlace(state, sidePlace(match, side)).name };
}
