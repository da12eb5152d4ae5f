import { draw } from "../hashes";
import type { Json, JsonObject } from "../json";
import { SIDES } from "../record";
import { factorial, permutation } from "./goofspiel";
import { OptionError } from "./position";

type Values = readonly (string | number)[];

const WITH_TOKEN = { columns: [7, 6], rows: [6], token: ["red", "yellow", "lot"], tie: ["holder", "other"] };
/** The options of each game with their values, the default first. An empty list allows a list of numbers. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  "simultaneous-captains-mistress": WITH_TOKEN,
  "single-selector": WITH_TOKEN,
  "captains-mistress": { columns: [7, 6], rows: [6], first: ["lot", "red", "yellow"] },
  trails: { field: ["small", "large"] },
  goofspiel: { cards: [7, 5, 9], prizes: ["lot", "rising", "falling"], tie: ["waits", "nobody"], order: [] },
};

/** A known game's options, completed by its defaults. Throws `OptionError` for others. */
export function completeOptions(game: string, given: JsonObject): JsonObject {
  const known = OPTIONS[game]!;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown) throw new OptionError(unknown);
  return Object.fromEntries(Object.entries(known).map(([name, values]) => [name, readOption(name, values, given[name])]));
}

function readOption(name: string, values: Values, value: Json | undefined): Json {
  if (value === undefined) return values[0] ?? [];
  const fits = values.length ? values.some((each) => each === value) : Array.isArray(value) && value.every((item) => typeof item === "number");
  if (!fits) throw new OptionError(name);
  return value;
}

/** The options after everything is drawn that they leave to the lot. */
export function drawOptions(options: JsonObject, seed: string): JsonObject {
  const text = `${seed}:options`;
  if (!("prizes" in options)) return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, value === "lot" ? SIDES[draw(text, 2)]! : value]));
  const [cards, order] = [options.cards as number, options.order as Json[]];
  return { ...options, order: order.length ? order : prizeOrder(cards, String(options.prizes), text) };
}

function prizeOrder(cards: number, prizes: string, text: string): number[] {
  const last = factorial(cards) - 1;
  return permutation(cards, prizes === "lot" ? draw(text, last + 1) : prizes === "falling" ? last : 0);
}
