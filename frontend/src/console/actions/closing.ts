import { n, t } from "../../live/i18n";
import { formatNumber } from "../../live/format";
import { byHands, hasPhones } from "../../live/match/ballotSource";
import { teamForSide } from "../../live/match/phase";
import type { AuditEntry, EventState, Team, Turn, TurnoutCounted } from "../../protocol";
import { countedHands } from "./handCounting";

/** The prompt before a vote is closed early. Empty once everyone has voted and all hands are counted. */
export function closingPrompt(event: EventState, turnout: TurnoutCounted | null, audit: readonly AuditEntry[]): string {
  const turn = event.match?.turn;
  if (!turn) return "";
  const teams = turn.to_move.map((side) => teamForSide(event, side));
  const missing = teams.reduce((sum, team) => sum + (hasPhones(team) ? countMissing(turnout, turn, team) : 0), 0);
  if (missing > 0) return n("%(count)s phone hasn't voted. Close anyway?", "%(count)s phones haven't voted. Close anyway?", missing, { count: formatNumber(missing) });
  return teams.some((team) => byHands(team) && !countedHands(audit, turn, team)) ? t("Hands not counted yet. Close anyway?") : "";
}

function countMissing(turnout: TurnoutCounted | null, turn: Turn, { number }: Team): number {
  const voted = turnout?.turn === turn.id ? turnout.voted[number - 1]! : 0;
  return Math.max(0, (turnout?.connected[number - 1] ?? 0) - voted);
}
