import { t } from "../../live/i18n";
import { formatNumber } from "../../live/format";
import type { Phase } from "../../live/match/phase";
import type { AuditEntry, Team, Turn } from "../../protocol";
import { plainOffer, type ActionOffer } from "./offers";

export const MAX_HANDS = 5000;

export function totalHands(hands: readonly number[]): number {
  return hands.reduce((sum, count) => sum + count, 0);
}

/** Return `hands` with another count for a column; NaN counts as 0. */
export function withCount(hands: readonly number[], column: number, count: number): readonly number[] {
  const valid = Math.max(0, Math.min(MAX_HANDS, Math.floor(count) || 0));
  return hands.map((before, index) => (index === column - 1 ? valid : before));
}

/**
 * The command that sends the counts; `hands[0]` is column 1. Counts can be sent repeatedly while the window is open.
 */
export function handsOffer(team: Team, turn: Turn, hands: readonly number[], phase: Phase): ActionOffer {
  const total = totalHands(hands);
  const enabled = phase === "voting" && total <= MAX_HANDS;
  return { ...plainOffer("hands.count"), turn: turn.id, team: team.number, hands, enabled };
}

/** The entry of a team's counts in this turn, from any console. */
export function countedHands(audit: readonly AuditEntry[], turn: Turn, team: Team): AuditEntry | undefined {
  return audit.find(({ pressed }) => pressed?.action === "hands.count" && pressed.turn === turn.id && pressed.team === team.number);
}

/** The counting status. Of counts sent from another console only the sum is known, not the columns. */
export function handsStatus(
  hands: readonly number[],
  sent: readonly number[] | null,
  audit: readonly AuditEntry[],
  turn: Turn,
  team: Team,
  phase: Phase,
): string {
  if (totalHands(hands) > MAX_HANDS) return t("At most %(count)s hands can be counted.", { count: formatNumber(MAX_HANDS) });
  if (sent?.join() === hands.join()) return t("Counts sent. You can correct them until the deadline.");
  if (sent) return t("Changed, not sent yet.");
  const entry = countedHands(audit, turn, team);
  if (entry) return entry.what;
  return phase === "voting" ? t("No counts sent yet.") : t("You can send counts while the vote is open.");
}
