import type { EventState, Match, Reveal, Side } from "../../protocol";
import { sidePlace, teamAtPlace } from "../scene/places";

/** A sentence in parts. A part with a side is that team's name, shown in its color. See `fillTeamNames`. */
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

/** The placeholder of a side's team in a text, as in a game's own sentences. */
export const teamName = (side: Side): string => `{${side}}`;

export function fillTeamNames({ state, match }: MatchContext, text: string): Sentence {
  const parts = text.split(/\{(red|yellow)\}/).map((part, index): SentencePart => {
    return index % 2 ? { side: part as Side, name: teamAtPlace(state, sidePlace(match, part as Side)).name } : part;
  });
  return parts.filter((part) => part !== "");
}
