import { thousands } from "../live/format";
import type { Phase } from "../live/phase";
import type { Deed, Team, Turn } from "../protocol";
import { plainOffer, type Offer } from "./offers";

export const MOST_HANDS = 5000;

export function totalOf(hands: readonly number[]): number {
  return hands.reduce((sum, count) => sum + count, 0);
}

/** With another count for a column; what is no number counts as none. */
export function counted(hands: readonly number[], column: number, count: number): readonly number[] {
  const kept = Math.max(0, Math.min(MOST_HANDS, Math.floor(count) || 0));
  return hands.map((before, index) => (index === column - 1 ? kept : before));
}

/** `hands[0]` is column 1. They can be sent, again and again, while the window is open. */
export function handsOffer(team: Team, turn: Turn, hands: readonly number[], phase: Phase): Offer {
  const total = totalOf(hands);
  const enabled = phase === "voting" && total <= MOST_HANDS;
  return { ...plainOffer("hands.count", "Count them"), turn: turn.id, team: team.number, hands, enabled };
}

/** Where the counting stands; of what another control room has sent the sum is known, and no column. */
export function handsState(
  hands: readonly number[],
  sent: readonly number[] | null,
  deeds: readonly Deed[],
  turn: Turn,
  team: Team,
  phase: Phase,
): string {
  if (totalOf(hands) > MOST_HANDS) return `At most ${thousands(MOST_HANDS)} can be counted.`;
  if (sent?.join() === hands.join()) return "These are in. Change and send them as often as you like.";
  if (sent) return "Changed: not sent yet.";
  const told = deeds.find(({ pressed }) => pressed?.action === "hands.count" && pressed.turn === turn.id && pressed.team === team.number);
  if (told) return `${told.by} ${told.what}.`;
  return phase === "voting" ? "None are in yet." : "They can be sent while the vote is open.";
}
