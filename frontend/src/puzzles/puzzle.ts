import { read, write } from "../live/browserStorage";
import { fetchInTime } from "../live/connection/fetchInTime";
import type { JsonObject } from "../verify/json";
import type { Side } from "../verify/record";

const WITHIN_MS = 20_000;
const PERSON = "puzzles.person";

/** The answer of `/puzzles/N.json`. */
export interface Puzzle {
  readonly number: number;
  readonly count: number;
  readonly daily: number;
  readonly kind: "win" | "safe" | "mix";
  readonly side: Side;
  readonly answer: number;
  readonly depth: number;
  /** The mixes to choose from: how often of 12 each column is drawn. */
  readonly mixes: readonly (readonly number[])[];
  readonly difficulty: "easy" | "medium" | "hard";
  readonly game: string;
  readonly options: JsonObject;
  readonly turns: readonly (readonly [red: number, yellow: number])[];
}

/** The puzzle of this page's address. Null if it can't be loaded. */
export async function loadPuzzle(): Promise<Puzzle | null> {
  const number = /^\/puzzles\/(\d+)$/.exec(location.pathname)?.[1] ?? "today";
  const answer = await fetchInTime(`/puzzles/${number}.json`, WITHIN_MS).catch(() => null);
  return answer?.ok ? ((await answer.json()) as Puzzle) : null;
}

/** Sends an answer to be counted. It doesn't matter whether that works. */
export function sendAnswer({ number }: Puzzle, choice: number): void {
  const drawn = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const person = read(PERSON) ?? drawn;
  write(PERSON, person);
  fetchInTime(`/puzzles/${number}/answer`, WITHIN_MS, { method: "POST", body: JSON.stringify({ person, choice }) }).catch(() => undefined);
}
