import type { DecisiveMistake, MatchAnalysis, Result, Side, Verdict } from "../../protocol";
import { formatNumber, formatPercent } from "../format";
import { n, t } from "../i18n";

type Name = (side: Side) => string;

/**
 * What the choices of a turn were worth: the costliest one, or both if neither was costly. Empty without a choice.
 * `before` is red's winning chance before it.
 */
export function verdictText(verdicts: readonly Verdict[], nameOf: Name, before: number): string {
  const [first, second] = verdicts;
  if (!first) return "";
  const name = nameOf(first.side);
  const { column, held, quality } = first;
  if (held !== null) return costlyText(first, { name, column, held });
  if (quality === null) return t("Estimate: no clear mistake");
  const winning = verdicts.find(({ side }) => before === (side === "red" ? 1 : 0));
  if (winning) return t("%(name)s: %(column)s. The win was certain", { name: nameOf(winning.side), column: winning.column });
  if (second) return t("Both chose well: %(name)s %(column)s, %(other)s %(others)s", { name, column, other: nameOf(second.side), others: second.column });
  return quality === "best" ? t("%(name)s: %(column)s, one of the best choices", { name, column }) : t("%(name)s: %(column)s, a good choice", { name, column });
}

function costlyText({ quality, loss, share }: Verdict, { name, column, held }: { name: string; column: number; held: number }): string {
  if (quality === null) {
    return t("%(name)s: %(column)s cost about %(points)s percentage points, compared with %(held)s", { name, column, held, points: formatNumber(Math.round(100 * loss)) });
  }
  if (share === null) {
    if (quality === "inaccuracy") return t("%(name)s: %(column)s, inaccurate. %(held)s was better", { name, column, held });
    return quality === "mistake" ? t("%(name)s: %(column)s, a mistake. %(held)s held", { name, column, held }) : t("%(name)s: %(column)s, a blunder. %(held)s held", { name, column, held });
  }
  const percent = formatPercent(share, 1);
  if (quality === "inaccuracy") return t("%(name)s: %(column)s, inaccurate. %(held)s was better; %(percent)s voted for it", { name, column, held, percent });
  return quality === "mistake"
    ? t("%(name)s: %(column)s, a mistake. %(held)s held; %(percent)s voted for it", { name, column, held, percent })
    : t("%(name)s: %(column)s, a blunder. %(held)s held; %(percent)s voted for it", { name, column, held, percent });
}

/** The heading of the costliest mistake of a match. */
export function mistakeText({ number }: DecisiveMistake, result: Result): string {
  return result === "draw" ? t("Biggest mistake: turn %(turn)s", { turn: number }) : t("Decisive mistake: turn %(turn)s", { turn: number });
}

/** What else decided the match: a missed win, or the turn in which the winning chances swung the most. Empty if nothing did. */
export function turningText({ missed, turning, mistake }: MatchAnalysis, nameOf: Name): string {
  if (missed) return n("%(name)s missed a certain win in %(count)s turn", "%(name)s missed a certain win for %(count)s turns", missed.turns, { name: nameOf(missed.side) });
  return turning && turning !== mistake?.number ? t("Turning point: turn %(turn)s", { turn: turning }) : "";
}

/** A winning chance, marked if it is an estimate. */
export function chanceFigure(chance: number, margin: number): string {
  return `${margin ? "≈" : ""}${formatPercent(chance, 1)}`;
}

/** The winning chance of a side, from 0 to 1, before the turn and after it. */
export function chances({ before, after }: { before: number; after: number | null }, side: Side): { before: number; after: number } {
  const of = (chance: number) => (side === "red" ? chance : 1 - chance);
  return { before: of(before), after: of(after ?? before) };
}
