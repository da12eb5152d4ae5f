import { p, t } from "../../live/i18n";
import { revealStep } from "../../live/match/phase";
import type { Quality } from "../../protocol";
import { choiceColumns, isResignation } from "../ballot/choice";
import { formatPercent } from "../localeFormat";
import type { PhoneView } from "../seat/phoneView";

const CLASSES: Record<Quality, string> = {
  best: p("your column", "one of the best"),
  good: p("your column", "a good choice"),
  inaccuracy: p("your column", "an inaccuracy"),
  mistake: p("your column", "a mistake"),
  blunder: p("your column", "a blunder"),
};

/** How good the voter's column in the turn revealed last was, once the balls have landed. Empty if nobody knows. */
export function choiceAnalysis({ match, record, side, now, phase }: PhoneView): string {
  const analysis = match?.analysis;
  if (!analysis || analysis.turn !== match.reveal?.turn || analysis.turn !== record.turn || isResignation(record.choice)) return "";
  if (phase === "reveal" && !["lines", "replay", "over"].includes(revealStep(match, now))) return "";
  const columns = choiceColumns(record.choice, match);
  const quality = columns.length === 1 && analysis[`${side}_classes`][columns[0]! - 1];
  if (!quality) return "";
  const share = analysis[`${side}_mix`][columns[0]! - 1]!;
  const word = CLASSES[quality];
  return share
    ? t("Your column: %(quality)s, %(percent)s of a perfect mix", { quality: word, percent: formatPercent(share, 100) })
    : t("Your column: %(quality)s", { quality: word });
}
