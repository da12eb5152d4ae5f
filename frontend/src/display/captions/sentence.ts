import type { EventState, Match, Reveal, Side } from "../../protocol";
import { sidePlace, teamAtPlace } from "../scene/places";

/** A sentence in parts; a part with a side is that team's name and takes its colour. */
export type SentencePart = string | { side: Side; name: string };
export type Sentence = readonly SentencePart[];

export interface MatchContext {
  state: EventState;
  match: Match;
}

/** What a sentence is about: the reveal, and the board as it stands after it. */
export interface RevealContext extends MatchContext {
  reveal: Reveal;
}

export function teamName({ state, match }: MatchContext, side: Side): SentencePart {
  return { side, name: teamAtPlace(state, sidePlace(match, side)).name };
}
