import type { Match } from "../protocol";
import { clockTime, thousands } from "./numbers";
import { need, second } from "./second";
import * as say from "./tongue/en";
import type { View } from "./view";

/** The one sentence under the clock: what is going on, and what there is to do. */
export function sentence(view: View): string {
  const { match, phase, hands, event } = view;
  if (!hands && !event.match && !event.hall) return lobby(view);
  if (view.talking) return say.talk;
  const said = phase === "waiting" ? say.getReady : phase === "voting" && !second() && voting(view, match!);
  return (!match?.board.vote && said) || (need()?.sentence(view, match) ?? "");
}

function lobby({ turnout, team, connection }: View): string {
  if (connection.state === "connecting") return say.goingIn;
  const here = turnout?.connected[team - 1] ?? 0;
  return `${here > 1 ? say.inTeam(thousands(here)) : say.youAreIn} ${say.soon}`;
}

/** What most are told most of the time; nothing if there is more to say. */
function voting({ side, ballot, hidden, hands, receipts }: View, { turn, board, tally_method }: Match): string {
  const { column, status, elsewhere } = ballot;
  if (!board.rows || tally_method! < "l" || hands || !turn!.to_move.includes(side) || elsewhere || (!column && receipts.length)) return "";
  if (!column) return say.pick;
  if (status === "sending") return say.sending(column);
  return status === "refused" ? "" : hidden ? say.countedHidden : say.counted(column);
}

/** The word or number inside the shape. */
export function heart(view: View): string {
  const { phase, match, now } = view;
  const turn = match?.turn;
  const left = turn && (phase === "voting" ? turn.closes_at - now : phase === "waiting" ? turn.opens_at - now : 0);
  if (left) return clockTime(left) || (need()?.longTime(left) ?? "");
  return match ? second()?.heart(view, match) ?? "" : "";
}
