import type { Board } from "../../protocol";
import type { JsonObject } from "../json";
import type { Move, Result, Side } from "../record";

/** A position of a game. It never changes. */
export interface Position {
  readonly toMove: readonly Side[];
  /** The number of choices, legal or not. */
  readonly choices: number;
  readonly result: Result;
  /** Whether the turn is revealed together with the next one. */
  readonly isConcealed?: boolean;
  /** The board, or null if the game draws its own. */
  readonly board: Board | null;
  legal(side: Side): readonly number[];
  /** The position after a legal move; a side without a pick makes none. */
  play(move: Move): Position;
}

export type Start = (options: JsonObject) => Position;

/** An option is missing or has a value that the game doesn't know. */
export class OptionError extends Error {
  constructor(readonly option: string) {
    super(option);
  }
}

export const other = (side: Side): Side => (side === "red" ? "yellow" : "red");

export function oneOf<Value>(options: JsonObject, name: string, values: readonly Value[]): Value {
  const found = values.find((value) => (value as unknown) === options[name]);
  if (found === undefined) throw new OptionError(name);
  return found;
}

export function wholeNumber(options: JsonObject, name: string, least: number, most: number): number {
  const value = options[name];
  if (typeof value !== "number" || value < least || value > most) throw new OptionError(name);
  return value;
}
