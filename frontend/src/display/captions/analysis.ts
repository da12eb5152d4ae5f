import { p, t } from "../../live/i18n";
import { chanceFigure, verdictText } from "../../live/match/verdict";
import type { Analysis, Judge, Match } from "../../protocol";
import type { Scene } from "../scene/scene";
import { bothLinesText } from "./commentary";
import { teamName } from "./sentence";

const NO_BREAK_SPACE = "\u00a0";

/** The analysis of the turn revealed last; null if there is none yet. */
export function lastAnalysis(match: Match | null): Analysis | null {
  return match?.analysis && match.analysis.turn === match.reveal?.turn ? match.analysis : null;
}

/**
 * The turn whose choices and winning chances are shown: the last one after its reveal, later the one that decided the
 * match. Null during a vote, for which it could be advice.
 */
export function judgedTurn(scene: Scene): Pick<Analysis, "before" | "after" | "margin" | "verdicts"> | null {
  const { match, phase, stage, recap } = scene;
  const mistake = recap?.mistake;
  if (mistake) return { ...mistake, verdicts: [mistake.verdict] };
  const isShown = phase === "reveal" ? stage?.step === "over" : phase === "talk" || recap !== null;
  const analysis = isShown ? lastAnalysis(match) : null;
  return analysis?.verdicts.length ? analysis : null;
}

/** What the choices of that turn were worth, or where both teams had four in a row; empty if no turn is shown. */
export function judgmentText(scene: Scene): string {
  const judged = judgedTurn(scene);
  if (!judged) return "";
  const { recap, reveal } = scene;
  if (reveal?.resolution.double_win && !recap?.mistake) return bothLinesText(reveal.resolution);
  return verdictText(judged.verdicts, teamName, judged.before);
}

/** The best judges of an ended match. Without nicknames, only their phones tell them. Empty if the event doesn't show them. */
export function judgesText(judges: readonly Judge[]): string {
  const names = judges.map(({ name }) => name);
  if (names.length === 0) return "";
  if (!names.some(Boolean)) return t("The three best judges see it on their phones");
  const listed = names.map((name) => (name ? `\u2068${name.replaceAll(" ", NO_BREAK_SPACE)}\u2069` : t("a voter")));
  return t("Best judges: %(names)s", { names: listed.join(p("between the items of a list", ", ")) });
}

export function chanceText(name: string, chance: number, margin: number): string {
  return t("Winning chance of %(name)s: %(percent)s", { name, percent: chanceFigure(chance, margin) });
}
