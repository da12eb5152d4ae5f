import { dropSymbol } from "../../live/dropSymbols";
import type { DropAnswered, Match, Part } from "../../protocol";
import { html, type Html } from "../dom";
import { formatNumber } from "../../live/format";
import * as say from "../texts";
import { revealsTurn, type PhoneView } from "../seat/phoneView";

/** The projector marks drops only if it shows these parts. */
const NEEDED: readonly Part[] = ["drops", "tally", "turnout"];

let offered = 0;

/** The turn whose drop the button on the page marks. */
export const shownDropTurn = (): number => offered;

/** The voter's own drop, the particle of the vote on the projector: a button to have it marked, then where it is. */
export function dropNotice(view: PhoneView): Html | false {
  const { match, drop, hands, event } = view;
  if (!match || hands || event.is_duel || match.max_side_changes || NEEDED.some((part) => event.hidden.includes(part))) return false;
  const turn = votedTurn(view, match);
  if (turn && drop?.turn === turn) return answer(drop);
  if (!turn || !canBeMarked(view, match)) return false;
  offered = turn;
  return html`<p class="drop"><button type="button" data-do="drop">${say.findDrop}</button></p>`;
}

function answer({ answer, symbol, index }: DropAnswered): Html | false {
  const mark = dropSymbol(symbol);
  const texts = { waiting: say.dropWaits(mark), shown: say.yourDrop(mark, formatNumber((index ?? 0) + 1)), full: say.dropFull, unavailable: "" };
  return !!texts[answer] && html`<p class="drop" role="status">${texts[answer]}</p>`;
}

/** The turn that is open or being revealed, if this phone's vote in it is counted; otherwise 0. */
function votedTurn({ phase, ballot, record }: PhoneView, { turn, reveal }: Match): number {
  if (phase === "reveal") return reveal && revealsTurn(reveal, record.turn) ? record.turn! : 0;
  const isCounted = ballot.status === "counted" && ballot.turn === turn?.id;
  return isCounted && ["voting", "paused", "sealed"].includes(phase) ? turn!.id : 0;
}

/** Before the balls fall. */
function canBeMarked({ phase, now }: PhoneView, { reveal }: Match): boolean {
  return phase !== "reveal" || (!!reveal && now < reveal.resolved_at + reveal.steps.drops);
}
