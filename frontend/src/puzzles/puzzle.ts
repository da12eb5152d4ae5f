import { read, write } from "../live/browserStorage";
import { fetchInTime } from "../live/connection/fetchInTime";
import { textHash, toHex } from "../verify/hashes";
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
  return answer?.ok ? answer.json().catch(() => null) : null;
}

/** Sends an answer to be counted, with a mark that is the same only for this puzzle in this browser. It doesn't matter whether that works. */
export function sendAnswer({ number, side, turns }: Puzzle, choice: number): void {
  const person = read(PERSON) ?? toHex(crypto.getRandomValues(new Uint8Array(16)));
  write(PERSON, person);
  const mark = textHash(`${person}:${side}:${turns.flat().join("")}`).slice(0, 32);
  fetchInTime(`/puzzles/${number}/answer`, WITHIN_MS, { method: "POST", body: JSON.stringify({ mark, choice }) }).catch(() => undefined);
}
