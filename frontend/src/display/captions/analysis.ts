import { formatPercent } from "../../live/format";
import { p, t } from "../../live/i18n";
import type { Analysis, Match, Quality, Side } from "../../protocol";
import { sidePlace } from "../scene/places";
import { teamName } from "./sentence";

const LABELS: Record<Quality, string> = {
  best: p("class of a choice", "Best"),
  good: p("class of a choice", "Good"),
  inaccuracy: p("class of a choice", "Inaccuracy"),
  mistake: p("class of a choice", "Mistake"),
  blunder: p("class of a choice", "Blunder"),
};

/** The analysis of the turn revealed last; null if there is none yet. */
export function lastAnalysis(match: Match | null): Analysis | null {
  return match?.analysis && match.analysis.turn === match.reveal?.turn ? match.analysis : null;
}

/** The class of each team's last choice, the team on the left first; empty without an analysis. */
export function analysisText(match: Match): string {
  const analysis = lastAnalysis(match);
  const sides: Side[] = sidePlace(match, "red") === 0 ? ["red", "yellow"] : ["yellow", "red"];
  return sides.flatMap((side) => classText(side, analysis?.[side] ?? null)).join(" · ");
}

function classText(side: Side, quality: Quality | null): string[] {
  return quality ? [t("%(name)s: %(quality)s", { name: teamName(side), quality: LABELS[quality] })] : [];
}

/** The winning chance of a side, from 0 to 1, before the turn and after it. */
export function chances({ before, after }: Analysis, side: Side): { before: number; after: number } {
  const of = (chance: number) => (side === "red" ? chance : 1 - chance);
  return { before: of(before), after: of(after ?? before) };
}

export function chanceText(name: string, chance: number): string {
  return t("Winning chance of %(name)s: %(percent)s", { name, percent: formatPercent(chance, 1) });
}
