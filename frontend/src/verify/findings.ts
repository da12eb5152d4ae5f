import type { Board } from "../protocol";
import type { Side } from "./record";

export type Check = "form" | "draw" | "rules" | "seed" | "ballots" | "root" | "counts" | "pick" | "played" | "result" | "sides" | "box" | "seals" | "voided" | "state" | "computer";
export type Outcome = "passed" | "failed" | "unchecked";
export type Verdict = "VALID" | "INVALID" | "PARTLY CHECKED";

/** Why a check failed, or wasn't made. */
export type Reason =
  | "not-a-record"
  | "field"
  | "option"
  | "length"
  | "turn-id"
  | "not-committed"
  | "not-drawn"
  | "no-draw"
  | "unknown-game"
  | "after-fault"
  | "over"
  | "to-move"
  | "legal"
  | "illegal-ballot"
  | "captain"
  | "arrivals"
  | "by-arrival"
  | "by-seed"
  | "server-order"
  | "no-solver"
  | "computer-absent"
  | "computer-version"
  | "unsorted"
  | "other-root"
  | "other-counts"
  | "other-pick"
  | "other-rounds"
  | "not-played"
  | "nothing-played"
  | "other-result"
  | "not-in-ballots"
  | "time"
  | "sides-missing"
  | "sides-length"
  | "commitment"
  | "numbers"
  | "voters"
  | "summary"
  | "other-state"
  | "restored"
  | "box-lost"
  | "seal-time"
  | "seal-not-counted"
  | "seal-cause"
  | "seal-replaced"
  | "seals-unlisted"
  | "void-order"
  | "void-counts"
  | "void-late"
  | "void-lot"
  | "void-seed"
  | "void-cause"
  | "void-half"
  | "void-ballots";

export interface Finding {
  /** The position of the turn, from 0; null for the whole match. */
  readonly turn: number | null;
  readonly side: Side | null;
  readonly check: Check;
  readonly outcome: Outcome;
  readonly reason?: Reason;
  /** What the record says and what follows from it, or the name of a field. */
  readonly found?: string;
  readonly expected?: string;
}

export interface Report {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** The board after each turn, where the game is known. */
  readonly boards: readonly (Board | null)[];
}

/** Collects findings. */
export class Findings {
  readonly all: Finding[];

  constructor(earlier: readonly Finding[] = []) {
    this.all = [...earlier];
  }

  get hasFailed(): boolean {
    return this.all.some(({ outcome }) => outcome === "failed");
  }

  pass(turn: number | null, side: Side | null, check: Check): void {
    this.all.push({ turn, side, check, outcome: "passed" });
  }

  skip(turn: number | null, side: Side | null, check: Check, reason: Reason): void {
    this.all.push({ turn, side, check, outcome: "unchecked", reason });
  }

  fail(turn: number | null, side: Side | null, check: Check, reason: Reason, found?: unknown, expected?: unknown): void {
    const texts = { ...(found !== undefined && { found: show(found) }), ...(expected !== undefined && { expected: show(expected) }) };
    this.all.push({ turn, side, check, outcome: "failed", reason, ...texts });
  }

  /** Adds a pass, or a failure with the reason. */
  expect(holds: boolean, turn: number | null, side: Side | null, check: Check, reason: Reason, found?: unknown, expected?: unknown): boolean {
    if (holds) this.pass(turn, side, check);
    else this.fail(turn, side, check, reason, found, expected);
    return holds;
  }
}

function show(value: unknown): string {
  return Array.isArray(value) ? value.map(show).join(", ") : value === null ? "–" : String(value);
}
