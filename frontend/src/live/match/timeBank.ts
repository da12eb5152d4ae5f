import type { Match, Side, TurnoutCounted } from "../../protocol";

/**
 * Milliseconds left in a side's time bank; null in a match without time banks. It runs from the opening of the turn
 * until the side's pick is announced. `place` is the side's index in `turnout.picked_at`.
 */
export function timeBankLeft(match: Match, side: Side, turnout: TurnoutCounted | null, place: number, now: number): number | null {
  const { clocks, turn } = match;
  if (!clocks) return null;
  const before = clocks[`${side}_ms`];
  if (!turn || turn.paused || !turn.to_move.includes(side)) return before;
  const picked = turnout?.turn === turn.id ? turnout.picked_at?.[place] : 0;
  return Math.max(0, before - Math.max(0, (picked || now) - turn.opens_at));
}

/** Whether both sides are single players, whose choices are no votes. */
export const isForTwo = (match: Match | null): boolean => !!match?.clocks && !match.clocks.crowd;
