import { CloseCode } from "../protocol";

/** When a client comes back. `chance` draws from 0 to 1, so that a hall never comes back as one. */
export type Chance = () => number;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const LONGEST_APPOINTMENT_MS = 30_000;
const WOKEN_WITHIN_MS = 400;
const BEAT_MS = 15_000;
const BEAT_SHIFT_MS = 3000;
const STAY_AWAY = 4500;
const LAST_OF_OURS = 4999;

/** How a connection ended. `attempt` counts failures in a row; `withinMs` is what `retry.told` said, if it came. */
export interface Loss {
  code: number;
  attempt: number;
  withinMs: number | null;
}

/** `told`: the server gave the appointment; whoever keeps it is let in sooner than whoever comes early. */
export type Retry =
  | { state: "away"; code: number }
  | { state: "lost" | "crowded"; waitMs: number; told: boolean };

export function retryAfter({ code, attempt, withinMs }: Loss, chance: Chance): Retry {
  if (code >= STAY_AWAY && code <= LAST_OF_OURS) return { state: "away", code };
  const ownMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  const longest = Math.min(LONGEST_APPOINTMENT_MS, withinMs ?? ownMs);
  return { state: code === CloseCode.CROWDED ? "crowded" : "lost", waitMs: chance() * longest, told: withinMs !== null };
}

/** What is left of a wait once the phone is unlocked or has found a network. An appointment stands. */
export function waitOnceAwake(leftMs: number, told: boolean, chance: Chance): number {
  return Math.max(0, told ? leftMs : Math.min(leftMs, chance() * WOKEN_WITHIN_MS));
}

/** Until the next proof of life: phones that were let in at once soon ask at different times. */
export function nextBeatMs(chance: Chance): number {
  return BEAT_MS + (2 * chance() - 1) * BEAT_SHIFT_MS;
}
