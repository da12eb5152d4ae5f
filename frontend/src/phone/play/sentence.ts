import { DEFAULT_METHOD } from "../../methods";
import type { Match } from "../../protocol";
import { formatClock, formatNumber } from "../../live/format";
import { loadDeferred, deferred } from "../deferred";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";

/** The sentence under the clock: what is going on and what to do. */
export function sentence(view: PhoneView): string {
  const { match, phase, hands, event } = view;
  if (!hands && !event.match && !event.is_duel) return lobby(view);
  if (view.talking) return say.talk;
  const text = phase === "waiting" ? say.getReady : phase === "voting" && !deferred() && voting(view, match!);
  return (!match?.board.vote && text) || (loadDeferred()?.sentence(view, match) ?? "");
}

function lobby({ turnout, team, connection }: PhoneView): string {
  if (connection.state === "connecting") return say.goingIn;
  const here = turnout?.connected[team - 1] ?? 0;
  return `${here > 1 ? say.inTeam(formatNumber(here)) : say.youAreIn} ${say.soon}`;
}

/** The usual sentence of an open window; empty if a longer one is needed. */
function voting({ side, ballot, hidden, hands, receipts }: PhoneView, { turn, board, tally_method }: Match): string {
  const { choice, status, elsewhere } = ballot;
  if (!board.rows || tally_method !== DEFAULT_METHOD || hands || !turn!.to_move.includes(side) || elsewhere || (!choice && receipts.length)) return "";
  if (!choice) return say.pick;
  if (status === "sending") return say.sending(choice);
  return status === "refused" ? "" : hidden ? say.countedHidden : say.counted(choice);
}

/** The word or number inside the shape. */
export function shapeText(view: PhoneView): string {
  const { phase, match, now } = view;
  const turn = match?.turn;
  const left = turn && (phase === "voting" ? turn.closes_at - now : phase === "waiting" ? turn.opens_at - now : 0);
  if (left) return formatClock(left) || (loadDeferred()?.formatLongTime(left) ?? "");
  return match ? deferred()?.shapeText(view, match) ?? "" : "";
}
