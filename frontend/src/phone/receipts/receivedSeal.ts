import type { Reopening } from "../../live/match/seals";

/** The roots of a turn's sides, or its `turn_commitment` with secret sides. */
export interface Roots {
  at: number;
  red?: string | null;
  yellow?: string | null;
  turn_commitment?: string | null;
}

/** What voids a seal, as this phone saw it: its window was reopened, or the turn with its number was voted again. */
export type Seen = Reopening | "voted_again";

/**
 * A seal that this phone received. `closes_at`: the deadline that it knew then. `revealed`: the reveal said that it
 * counts. `missed`: the phone has missed a change of the event since.
 */
export interface ReceivedSeal extends Roots {
  turn: number;
  number: number;
  epoch: number;
  closes_at: number;
  lot: string | null;
  revealed: boolean;
  seen: Seen | null;
  missed: boolean;
}

interface Sealed {
  red: { root: string | null } | null;
  yellow: { root: string | null } | null;
  turn_commitment: string | null;
}

export const sealedRoots = (at: number, { red, yellow, turn_commitment }: Sealed): Roots => ({ at, red: red?.root ?? null, yellow: yellow?.root ?? null, turn_commitment });

export function hasRoots(seal: Roots, other: Roots): boolean {
  return (["red", "yellow", "turn_commitment"] as const).every((part) => (seal[part] ?? null) === (other[part] ?? null));
}
