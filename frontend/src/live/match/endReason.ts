import type { EndReason } from "../../protocol";
import { t } from "../i18n";

/** Why a match ended, without a full stop. `winner` is empty after a draw. Empty if the board alone shows the reason. */
export function endReasonText(reason: EndReason | null | undefined, winner: string, loser: string): string {
  if (reason === "line") return t("Four in a row");
  if (reason === "holder") return t("Four in a row for both: %(name)s held the token", { name: winner });
  if (reason === "other") return t("Four in a row for both: %(name)s held the token and loses", { name: loser });
  if (reason === "full") return t("The board is full");
  if (reason === "forfeit") return winner ? t("No votes from %(name)s", { name: loser }) : t("Nobody voted");
  if (reason === "time") return winner ? t("%(name)s ran out of time", { name: loser }) : t("Both ran out of time");
  if (reason === "agreed") return t("Both agreed to a draw");
  if (reason === "resign" || reason === "conceded") return winner ? t("%(name)s gave up", { name: loser }) : t("Both gave up");
  return reason === "deserted" ? t("Everyone left %(name)s", { name: loser }) : "";
}
