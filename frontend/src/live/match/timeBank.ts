import type { Match, Side, TurnoutCounted } from "../../protocol";

/**
 * What a side has left on its clock; null where none is played by. It runs while the side is to pick and has not, as
 * far as was heard: `place` is the side's in the turnout.
 */
export function timeBankLeft(match: Match, side: Side, turnout: TurnoutCounted | null, place: number, now: number): number | null {
  const { clocks, turn } = match;
  if (!clocks) return null;
  const before = clocks[`${side}_ms`];
  if (!turn || turn.paused || !turn.to_move.includes(side)) return before;
  const picked = turnout?.turn === turn.id ? turnout.picked_at?.[place] : 0;
  return Math.max(0, before - Math.max(0, (picked || now) - turn.opens_at));
}
