import type { Match, SideTally } from "../../protocol";
import { optionName } from "../../board/geometry";
import { formatNumber, formatPercent } from "../../live/format";
import { n, p, t } from "../../live/i18n";
import { support } from "../../live/match/support";
import { byHands, hasPhones, sourceText } from "../../live/match/ballotSource";
import { isPartHidden, teamAtPlace, type Place } from "../scene/places";
import { decisionText } from "./captions";
import type { MatchContext } from "./sentence";

/** The texts of a team's pick, from top to bottom. */
export interface PickTexts {
  chooser: string;
  /** The chosen column; empty without a pick. */
  column: string;
  share: string;
  /** How the pick was decided, or the number of votes. */
  below: string;
}

export function pickTexts(context: MatchContext, tally: SideTally, place: Place, home: boolean): PickTexts {
  const { match, state } = context;
  const counted = !isPartHidden(state, "tally");
  const column = optionName(match.board, tally.pick ?? 0);
  const below = decisionText(match, tally, counted, column) || ballotsText(context, place, tally);
  if (tally.pick === null) return { chooser: tally.decided_by === "resign" ? p("team", "Gives up") : p("team", "No pick"), column: "", share: "", below };
  return { chooser: chooserText(home, place), column, share: counted && tally.ballots > 0 ? shareText(match, tally) : "", below };
}

function shareText(match: Match, tally: SideTally): string {
  return formatPercent(...support(match, tally));
}

/** The number of votes or hands; of other teams without phones, and if counts are hidden, where the votes come from. */
function ballotsText({ state }: MatchContext, place: Place, { ballots }: SideTally): string {
  const team = teamAtPlace(state, place);
  const hidden = isPartHidden(state, "turnout") || isPartHidden(state, "tally");
  if (!hasPhones(team) && (hidden || !byHands(team))) return sourceText(team);
  if (hidden) return "";
  const count = formatNumber(ballots);
  return byHands(team) ? n("of %(count)s hand", "of %(count)s hands", ballots, { count }) : n("of %(count)s vote", "of %(count)s votes", ballots, { count });
}

/** A team's own screen addresses the team. */
function chooserText(home: boolean, place: Place): string {
  if (!home) return p("team", "chose");
  return place === 0 ? t("You chose") : t("The others chose");
}
