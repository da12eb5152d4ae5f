import type { CloseCall, Resolution, Side } from "../../protocol";
import { withoutDrops } from "../../board/boardBefore";
import { threats } from "../../board/threats";
import { otherSide } from "../../live/match/grid";
import { formatNumber } from "../../live/format";
import { NUMBER_LOCALE, n, t } from "../../live/i18n";
import { hasPoints } from "../../live/match/support";
import { isPartHidden, tallyForSide } from "../scene/places";
import { teamName, type MatchContext, type RevealContext } from "./sentence";

const LINE_GAMES = ["simultaneous-captains-mistress", "single-selector", "captains-mistress"];
const SIDES: readonly Side[] = ["red", "yellow"];

/** A hint about threats on the board before the next vote; empty if there is none. Contains placeholders of teams. */
export function threatText(context: MatchContext): string {
  if (!namesThreats(context)) return "";
  const { match } = context;
  const near = SIDES.map((side) => ({ name: teamName(side), columns: threats(match.board, side) })).filter(({ columns }) => columns.length > 0);
  const [one, two] = near;
  if (!one) return "";
  const { name } = one;
  if (!two && one.columns.length > 1) return t("%(name)s threatens %(columns)s", { name, columns: formatList(one.columns, "conjunction") });
  if (!two) return t("%(name)s needs column %(column)s", { name, column: one.columns[0]! });
  const [columns, others] = [formatList(one.columns, "disjunction"), formatList(two.columns, "disjunction")];
  if (columns === others) return t("Both need column %(columns)s", { columns });
  return t("%(name)s needs %(columns)s, %(other)s needs %(others)s", { name, columns, other: two.name, others });
}

function namesThreats({ state, match }: MatchContext): boolean {
  return LINE_GAMES.includes(match.game) && !isPartHidden(state, "hints");
}

function formatList(columns: readonly number[], type: Intl.ListFormatType): string {
  return new Intl.ListFormat(NUMBER_LOCALE, { type }).format(columns.map(String));
}

/** For a side's own half of the screen: "needs column 4". */
export function threatLabel(context: MatchContext, side: Side): string {
  const columns = namesThreats(context) ? threats(context.match.board, side) : [];
  if (columns.length === 0) return "";
  return columns.length > 1 ? t("needs %(columns)s", { columns: formatList(columns, "disjunction") }) : t("needs column %(column)s", { column: columns[0]! });
}

/** Whether both picked the same column and one of them would have won there. */
export function isThreatConflict(context: RevealContext): boolean {
  const { match, reveal } = context;
  const { conflict, drops } = reveal.resolution;
  if (conflict === null || !namesThreats(context)) return false;
  const before = withoutDrops(match.board, drops);
  return SIDES.some((side) => threats(before, side).includes(conflict));
}

/** A sentence if a drop of this turn blocked the other side's line of four; else empty. */
export function blockText({ state, reveal }: RevealContext): string {
  const { block } = reveal.resolution;
  if (!block || isPartHidden(state, "hints")) return "";
  return t("%(name)s stops %(other)s in %(column)s", { name: teamName(block.side), other: teamName(otherSide(block.side)), column: block.column });
}

/** The columns in which both teams completed a line in the same turn. */
export function bothLinesText({ conflict, drops: [first, second] }: Resolution): string {
  if (conflict !== null) return t("Both chose column %(column)s", { column: conflict });
  if (!first || !second) return "";
  return t("%(name)s chose column %(column)s, %(other)s column %(others)s", { name: teamName(first.side), column: first.column, other: teamName(second.side), others: second.column });
}

export function closeCallText({ match, reveal }: RevealContext, call: CloseCall | null): string {
  if (!call) return "";
  if (call.kind === "conflict") return t("Replay: the token decided it");
  const values = { name: teamName(call.side), first: call.first ?? "", second: call.second ?? "" };
  if (call.margin > 0) return hasPoints(match) ? pointsAheadText(call.margin, values) : votesAheadText(call.margin, values);
  const tally = tallyForSide(reveal, call.side);
  const each = tally?.counts[(call.first ?? 0) - 1] ?? 0;
  return hasPoints(match) ? equalPointsText(each, values, tally?.decided_by === "lot") : equalVotesText(each, values, tally?.decided_by === "lot");
}

interface Compared {
  name: string;
  first: number | string;
  second: number | string;
}

function votesAheadText(margin: number, { name, first, second }: Compared): string {
  return n("%(name)s: %(first)s beat %(second)s by %(count)s vote", "%(name)s: %(first)s beat %(second)s by %(count)s votes", margin, { name, first, second, count: formatNumber(margin) });
}

function pointsAheadText(margin: number, { name, first, second }: Compared): string {
  return n("%(name)s: %(first)s beat %(second)s by %(count)s point", "%(name)s: %(first)s beat %(second)s by %(count)s points", margin, { name, first, second, count: formatNumber(margin) });
}

function equalVotesText(each: number, { name, first }: Compared, isDrawn: boolean): string {
  const count = formatNumber(each);
  return isDrawn
    ? n("%(name)s: %(count)s vote each, %(first)s was drawn at random", "%(name)s: %(count)s votes each, %(first)s was drawn at random", each, { name, first, count })
    : n("%(name)s: %(count)s vote each, %(first)s got there first", "%(name)s: %(count)s votes each, %(first)s got there first", each, { name, first, count });
}

function equalPointsText(each: number, { name, first }: Compared, isDrawn: boolean): string {
  const count = formatNumber(each);
  return isDrawn
    ? n("%(name)s: %(count)s point each, %(first)s was drawn at random", "%(name)s: %(count)s points each, %(first)s was drawn at random", each, { name, first, count })
    : n("%(name)s: %(count)s point each, %(first)s got there first", "%(name)s: %(count)s points each, %(first)s got there first", each, { name, first, count });
}
