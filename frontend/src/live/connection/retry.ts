import { CloseCode } from "../../protocol";

/** When a client comes back. `chance` draws from 0 to 1, so that a hall never comes back as one. */
export type Chance = () => number;

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8000;
const MAX_SERVER_WAIT_MS = 30_000;
const WAKE_JITTER_MS = 400;
const HEARTBEAT_MS = 15_000;
const HEARTBEAT_JITTER_MS = 3000;
const FIRST_FINAL_CODE = 4500;
const LAST_FINAL_CODE = 4999;

/** How a connection ended. `attempt` counts failures in a row; `withinMs` is what `retry.fromServer` said, if it came. */
export interface ConnectionLoss {
  code: number;
  attempt: number;
  withinMs: number | null;
}

/** `fromServer`: the server gave the appointment; whoever keeps it is let in sooner than whoever comes early. */
export type Retry =
  | { state: "away"; code: number }
  | { state: "lost" | "crowded"; waitMs: number; fromServer: boolean };

export function retryAfter({ code, attempt, withinMs }: ConnectionLoss, chance: Chance): Retry {
  if (code >= FIRST_FINAL_CODE && code <= LAST_FINAL_CODE) return { state: "away", code };
  const ownMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  const longest = Math.min(MAX_SERVER_WAIT_MS, withinMs ?? ownMs);
  return { state: code === CloseCode.CROWDED ? "crowded" : "lost", waitMs: chance() * longest, fromServer: withinMs !== null };
}

/** What is left of a wait once the phone is unlocked or has found a network. An appointment stands. */
export function waitAfterWake(leftMs: number, fromServer: boolean, chance: Chance): number {
  return Math.max(0, fromServer ? leftMs : Math.min(leftMs, chance() * WAKE_JITTER_MS));
}

/** Until the next proof of life: phones that were let in at once soon ask at different times. */
export function nextHeartbeatMs(chance: Chance): number {
  return HEARTBEAT_MS + (2 * chance() - 1) * HEARTBEAT_JITTER_MS;
}
