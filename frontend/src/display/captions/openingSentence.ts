import { t } from "../../live/i18n";
import { sidePlace } from "../scene/places";
import { LATE_MS } from "../scene/scene";
import { threatText } from "./commentary";
import { readingTime } from "./readingTime";
import { fillTeamNames, sentenceText, teamName, type MatchContext, type Sentence } from "./sentence";

const ANNOUNCED_MS = 5000;
const LEAST_WINDOW_S = 10;

/** A draw offer, or a hint about the board while its vote opens, as long as it takes to read. No hint in a short window. */
export function openingSentence(context: MatchContext, home: boolean, now: number): Sentence {
  const { turn, window_s } = context.match;
  if (turn?.draw_offered_by) return fillTeamNames(context, t("%(name)s offers a draw", { name: teamName(turn.draw_offered_by) }));
  if (!turn || window_s < LEAST_WINDOW_S) return [];
  const sentence = fillTeamNames(context, openingText(context, home));
  const shownMs = Math.max(ANNOUNCED_MS, readingTime(sentenceText(sentence)));
  return now < turn.opens_at + shownMs ? sentence : [];
}

/** In the first turn, says what the token is. On a team's own screen, says that it holds the token if nothing is more urgent. */
function openingText(context: MatchContext, home: boolean): string {
  const text = halfTurnText(context) || shortenedText(context) || threatText(context);
  const { board: { token }, turn } = context.match;
  if (!text && token && turn?.number === 1) return t("Same column: the token's holder drops first");
  if (text || !home || !token || sidePlace(context.match, token) !== 0) return text;
  return t("You hold the token this turn");
}

/** After a late result that has taken time from the vote. */
function shortenedText({ match: { turn, reveal, window_s, clocks } }: MatchContext): string {
  if (!turn || !reveal || clocks || reveal.resolved_at - reveal.sealed_at < LATE_MS) return "";
  return turn.closes_at - turn.opens_at < window_s * 1000 ? t("The result was late: this vote is shorter") : "";
}

/** In a turn of two halves: which team votes, and whether in secret. */
function halfTurnText({ match: { board, turn } }: MatchContext): string {
  const side = turn?.to_move[0];
  if (!board.vote || !side) return "";
  const name = teamName(side);
  return board.vote === "open" ? t("%(name)s votes openly", { name }) : t("%(name)s chooses in secret", { name });
}
