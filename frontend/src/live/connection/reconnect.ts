import { CloseCode } from "../../protocol";

/** Reconnection delays: exponential backoff with jitter. `chance` draws from 0 to 1, so that an audience does not reconnect all at once. */
export type Chance = () => number;

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8000;
const MAX_SERVER_WAIT_MS = 30_000;
const WAKE_JITTER_MS = 400;
const HEARTBEAT_MS = 15_000;
const HEARTBEAT_JITTER_MS = 3000;
const FIRST_FINAL_CODE = 4500;

/**
 * How a connection ended. `attempt` counts failures in a row. `withinMs` is the value of `retry.fromServer`, if
 * received.
 */
export interface ConnectionLoss {
  code: number;
  attempt: number;
  withinMs: number | null;
}

/** `fromServer`: the server set the delay. A client that keeps to it is admitted before clients that return early. */
export type Retry =
  | { state: "away"; code: number }
  | { state: "lost" | "crowded"; waitMs: number; fromServer: boolean };

export function retryAfter({ code, attempt, withinMs }: ConnectionLoss, chance: Chance): Retry {
  if (code >= FIRST_FINAL_CODE) return { state: "away", code };
  const ownMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  const longest = Math.min(MAX_SERVER_WAIT_MS, withinMs ?? ownMs);
  return { state: code === CloseCode.CROWDED ? "crowded" : "lost", waitMs: chance() * longest, fromServer: withinMs !== null };
}

/** The remaining delay after the phone is unlocked or finds a network. A delay set by the server is kept. */
export function waitAfterWake(leftMs: number, fromServer: boolean, chance: Chance): number {
  return Math.max(0, fromServer ? leftMs : Math.min(leftMs, chance() * WAKE_JITTER_MS));
}

/** The delay until the next heartbeat, with jitter: phones admitted at once soon send theirs at different times. */
export function nextHeartbeatMs(chance: Chance): number {
  return HEARTBEAT_MS + (2 * chance() - 1) * HEARTBEAT_JITTER_MS;
}
