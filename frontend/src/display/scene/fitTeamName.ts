import { lineCount, nameForms, shortName } from "../../live/teamNames";

/** The room for a name in stage units, and its largest and smallest font size. */
export interface NameBox {
  width: number;
  largest: number;
  least: number;
}

/** A shorter form is chosen rather than a font size below this share of the largest. */
const LARGE = 0.7;
/** Rather than being cut, a single word may be this much smaller than the smallest font size. */
const WHOLE_WORD = 0.8;
const MOST_LINES = 3;
/** Tabular digits are a little wider than measured. */
const MARGIN = 0.97;

/**
 * The text and font size of a team's name. What both names share is left out first, then the font size is reduced,
 * then the name gets more lines. `measure` returns a width relative to the font size.
 */
export function fitTeamName(name: string, other: string, { width, largest, least }: NameBox, measure: (text: string) => number): { text: string; size: number } {
  const room = width * MARGIN;
  const size = (text: string) => Math.min(largest, room / measure(text));
  const forms = nameForms(name, other);
  const shortest = forms[forms.length - 1]!;
  const line = forms.find((form) => size(form) >= largest * LARGE) ?? shortest;
  if (size(line) >= least) return { text: line, size: size(line) };
  const fits = (text: string) => lineCount(text, room / least, measure) <= MOST_LINES;
  if (!fits(shortest) && size(shortest) >= least * WHOLE_WORD) return { text: shortest, size: size(shortest) };
  return { text: fits(shortest) ? shortest : shortName(name, other, fits), size: least };
}
