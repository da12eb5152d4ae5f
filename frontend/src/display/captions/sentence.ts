import type { EventState, Match, Reveal, Side } from "../../protocol";
import { shortName } from "../../live/teamNames";
import { sidePlace, teamAtPlace } from "../scene/places";

/** A sentence in parts. A part with a side is that team's name, shown in its color. See `fillTeamNames`. */
export type SentencePart = string | TeamPart;
interface TeamPart {
  side: Side;
  name: string;
  /** What is shown, if there is no room for the name. */
  short?: string;
}
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

/** The text with the names of the teams. */
export function plainText(context: MatchContext, text: string): string {
  return fillTeamNames(context, text).map((part) => (typeof part === "string" ? part : part.name)).join("");
}

export const sentenceText = (sentence: Sentence): string => sentence.map((part) => (typeof part === "string" ? part : (part.short ?? part.name))).join("");

const LONGEST_NAME = 40;
const SHORTEST_NAME = 3;

/** The sentence with its names shortened, if necessary, until it fits. */
export function fitSentence({ teams: [one, two] }: EventState, sentence: Sentence, fits: (text: string) => boolean): Sentence {
  let fitted = sentence;
  for (let length = LONGEST_NAME; length >= SHORTEST_NAME && !fits(sentenceText(fitted)); length--) fitted = sentence.map(shorten(length));
  return fitted;

  function shorten(length: number): (part: SentencePart) => SentencePart {
    return (part) => (typeof part === "string" ? part : { ...part, short: shortName(part.name, part.name === one.name ? two.name : one.name, (text) => [...text].length <= length) });
  }
}
