import type { Match, SpecialRule } from "../../protocol";
import { t } from "../i18n";

/** What phones and displays say about each special rule before the first turn. */
export const SPECIAL_RULES: { readonly [rule in SpecialRule]: string } = {
  secret_sides: t("You can secretly switch sides between turns."),
  single_selector: t("The token's holder chooses in secret. Then the other team votes openly."),
  captains: t("If columns tie, the captain's vote decides."),
  resigning: t("A team can vote to give up."),
  time_banks: t("Each side has one clock for the whole match."),
};

/** Whether the match has begun but its first vote is not open yet. */
export function isBeforeFirstVote(match: Match | null, now: number): boolean {
  return match?.turn?.number === 1 && !match.turn.paused && now < match.turn.opens_at;
}
