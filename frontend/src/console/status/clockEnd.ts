import { heldMs, revealDue, revealEnd, type Phase } from "../../live/match/phase";
import type { EventState } from "../../protocol";

/** The server time at which the clock ends; 0 if no clock runs. */
export function clockEnd({ match, next_match_at }: EventState, phase: Phase): number {
  const turn = match?.turn;
  if (phase === "voting") return turn?.closes_at ?? 0;
  if (phase === "sealed") return match?.host_wait_s && turn ? revealDue(match, turn) : 0;
  if (phase === "paused") return 0;
  if (phase === "reveal" && match && !turn) return revealEnd(match);
  return turn ? turn.opens_at : (next_match_at ?? 0);
}

/** Milliseconds left on the clock. */
export function clockLeft({ match }: EventState, phase: Phase, until: number, now: number): number {
  return phase === "paused" && match?.turn ? heldMs(match.turn) : Math.max(0, until - now);
}
