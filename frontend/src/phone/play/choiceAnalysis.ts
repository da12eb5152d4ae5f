import { n, p, t } from "../../live/i18n";
import { otherSide } from "../../live/match/grid";
import { revealStep } from "../../live/match/phase";
import { hasPoints } from "../../live/match/support";
import { isForTwo } from "../../live/match/timeBank";
import { chanceFigure, chances, mistakeText, turningText, verdictText } from "../../live/match/verdict";
import type { Analysis, Quality, Side } from "../../protocol";
import { choiceColumns, isResignation } from "../ballot/choice";
import { html, type Html } from "../dom";
import { formatNumber, formatPercent } from "../../live/format";
import { textHash } from "../receipts/receiptProof";
import type { PhoneView } from "../seat/phoneView";
import { readToken } from "../seat/storage";
import * as say from "../texts";
import { shortTeamName } from "./teamNames";

const CLASSES: Record<Quality, string> = {
  best: p("your column", "one of the best"),
  good: p("your column", "a good choice"),
  inaccuracy: p("your column", "an inaccuracy"),
  mistake: p("your column", "a mistake"),
  blunder: p("your column", "a blunder"),
};

/** The analysis of the turn revealed last, once the balls have landed. Null during a vote, for which it could be advice. */
function lastAnalysis({ match, now, phase }: PhoneView): Analysis | null {
  const analysis = match?.analysis;
  if (!analysis || analysis.turn !== match.reveal?.turn || !["reveal", "waiting", "ended"].includes(phase)) return null;
  return phase !== "reveal" || revealStep(match, now) === "lines" ? analysis : null;
}

/** What the choices of both teams were worth. Empty if nobody knows. */
export function turnVerdict(view: PhoneView): string {
  const analysis = lastAnalysis(view);
  const text = analysis && verdictText(analysis.verdicts, (side) => shortTeamName(view.event, side), analysis.before);
  return text ? say.endSentence(text) : "";
}

/** What decided the match, otherwise what the last choices were worth. */
export function decidingTexts(view: PhoneView): string[] {
  const nameOf = (side: Side) => shortTeamName(view.event, side);
  const deciding = view.match?.analysis?.match;
  if (!deciding) return [turnVerdict(view)].filter(Boolean);
  const { mistake } = deciding;
  return [bestJudge(view), ...(mistake ? [mistakeText(mistake, view.match!.result), verdictText([mistake.verdict], nameOf, mistake.before)] : []), turningText(deciding, nameOf)].filter(Boolean);
}

/** How good the voter's column in the turn revealed last was. Empty if nobody knows. */
export function choiceAnalysis(view: PhoneView): string {
  const { match, record, side } = view;
  const analysis = lastAnalysis(view);
  if (!analysis || analysis.turn !== record.turn || isResignation(record.choice)) return "";
  const columns = choiceColumns(record.choice, match!);
  const quality = columns.length === 1 && analysis[`${side}_classes`][columns[0]! - 1];
  if (!quality) return "";
  const share = analysis[`${side}_mix`][columns[0]! - 1]!;
  const word = CLASSES[quality];
  return share
    ? t("Your column: %(quality)s, %(percent)s of a perfect mix", { quality: word, percent: formatPercent(share, 100) })
    : t("Your column: %(quality)s", { quality: word });
}

/** Whether the voter is one of the best judges of the ended match. */
export function bestJudge({ event, match }: PhoneView): string {
  const [analysis, voter] = [match?.analysis, readToken(event.code)?.split(".")[1]];
  const isOne = analysis?.match?.judges.some(({ hash }) => hash === textHash(`crowdgame judge:${analysis.turn}:${voter}`));
  return isOne ? t("You are one of the three best judges.") : "";
}

const LEAST_STREAK = 3;
const LEAST_SEEN = 2;
const MOST_SEEN = 0.2;

function isRecognized({ event, match }: PhoneView): boolean {
  return !event.hidden.includes("recognition") && !match!.max_side_changes && !isForTwo(match);
}

/** How many voters chose the same best column, if they were few. Fewer than LEAST_SEEN could reveal a single vote. */
export function oneOfFew(view: PhoneView): string {
  const { event, match, record, side } = view;
  const analysis = lastAnalysis(view);
  const tally = match?.reveal?.[side];
  if (!analysis || !tally || analysis.turn !== record.turn || hasPoints(match) || !isRecognized(view) || event.hidden.includes("tally")) return "";
  const [column, ...others] = choiceColumns(record.choice, match);
  const seen = tally.counts[column! - 1] ?? 0;
  const isFew = seen >= LEAST_SEEN && seen <= tally.ballots * MOST_SEEN;
  if (others.length || !isFew || analysis[`${side}_classes`][column! - 1] !== "best") return "";
  return t("You are one of %(count)s who saw column %(column)s.", { count: formatNumber(seen), column: column! });
}

/** The turns in a row, up to the one revealed last, in which the voter voted for what the team played. */
export function streak(view: PhoneView): string {
  const { match, record, phase, now } = view;
  const revealed = match?.reveal;
  if (!revealed || !isRecognized(view) || !(phase === "waiting" || (phase === "reveal" && revealStep(match, now) === "lines"))) return "";
  let first = revealed.number;
  while (record.agreed[first]) first -= 1;
  const count = revealed.number - first;
  return count < LEAST_STREAK ? "" : n("%(count)s turn in a row with your team", "%(count)s turns in a row with your team", count);
}

/** How the turn changed the team's winning chance, what the voter's own column was worth, and the voter's streak. */
export function analysisLine(view: PhoneView): Html | false {
  const analysis = view.phase !== "ended" && lastAnalysis(view);
  const inARow = !view.hidden && streak(view);
  if (!analysis) return !!inARow && html`<p class="next judged"><span>${inARow}</span></p>`;
  const { side } = view;
  const { before, after } = chances(analysis, side);
  const own = !view.hidden && (oneOfFew(view) || choiceAnalysis(view));
  return html`<p class="next judged"><span class="chances">
    <span>${t("Winning chance")}</span><b dir="ltr">${chanceFigure(before, analysis.margin)} → ${chanceFigure(after, analysis.margin)}</b>
    <i class="balance ${otherSide(side)}" css="--before:${before};--after:${after}"><i class="${side}"></i></i>
  </span>${own && html`<span>${own}</span>`}${inARow && html`<span>${inARow}</span>`}</p>`;
}
