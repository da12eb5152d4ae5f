import type { DuelAction, DuelRefused, EventState, Match } from "../../protocol";
import { notifyAnswer, notifyButton } from "../device/turnNotification";
import { html, type Html } from "../dom";
import type { PhoneScreen } from "../phoneScreen";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";

/** How long the confirmation prompt waits for the second tap. */
const CONFIRM_WITHIN_MS = 5000;
const REFUSAL_SHOWN_MS = 5000;
const ASKED_TWICE: readonly DuelAction[] = ["resign", "abort", "draw"];

type OwnAction = Exclude<DuelAction, "decline">;

const bell = html`<svg class="bell" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 18q3-2 3-8a5 5 0 0 1 10 0q0 6 3 8zM10 21h4"/></svg>`;

let tapped: DuelAction | null = null;
let tappedAt = -Infinity;
let refused: { by: DuelRefused; at: number } | null = null;

/** In a live duel: an offer of the opponent with its answers, or the buttons to resign, abort and make offers. */
export function duelActions(view: PhoneView): Html | false {
  const { match, event, side, phase } = view;
  if (!event.is_duel || !match?.turn || !isPlayer(view) || !/^(voting|waiting|paused)$/.test(phase)) return false;
  const offer = match.offers.find((one) => one.side !== side && !one.declined);
  const own = match.offers.find((one) => one.side === side);
  const problem = refusalText(view);
  if (offer) return html`<p class="next duel" role="status"><span>${say.theyOffer[offer.kind]}</span>${button(offer.kind, say.accept)}${button("decline", say.decline)}</p>`;
  const note = problem || notifyAnswer() || (own && (own.declined ? say.offerDeclined : say.youOffered[own.kind]));
  const buttons = offered(match, event).filter((action) => action !== own?.kind);
  return html`<p class="next duel">${note && html`<span role="status">${note}</span>`}${buttons.map((action) => button(action, isTapped(action) ? say.reallyDo[action] : say.duelActions[action]))}${notifyButton(view, bell)}</p>`;
}

/** In a game against a crowd, only the single player acts. */
function isPlayer({ event, team }: PhoneView): boolean {
  return !isAgainstCrowd(event) || event.teams[team - 1]!.solo;
}

const isAgainstCrowd = ({ teams }: EventState) => teams.some(({ solo }) => solo);

function offered({ turn }: Match, event: EventState): OwnAction[] {
  const isFirst = turn!.number === 1;
  const actions: OwnAction[] = [isFirst ? "abort" : "resign"];
  if (isAgainstCrowd(event) || event.teams.some(({ source }) => source !== "phones")) return actions;
  actions.push("draw");
  if (event.is_casual && !isFirst) actions.push("takeback");
  return actions;
}

const button = (action: DuelAction, label: string): Html => html`<button type="button" class="small" data-do="duel-${action}">${label}</button>`;

const isTapped = (action: DuelAction) => tapped === action && performance.now() < tappedAt + CONFIRM_WITHIN_MS;

function refusalText({ duelRefused }: PhoneView): string | false {
  if (!duelRefused) return false;
  if (refused?.by !== duelRefused) refused = { by: duelRefused, at: performance.now() };
  return performance.now() < refused.at + REFUSAL_SHOWN_MS && (duelRefused.code === "too_soon" ? say.offerTooSoon : say.notPossibleNow);
}

/** The first tap on what can't be undone asks for confirmation, and the second one does it. Answers need one tap. */
export function runDuelAction(action: DuelAction, { seated, redraw }: PhoneScreen): void {
  const { match } = seated!.store.get().event!;
  const isAnswer = match!.offers.some((one) => one.kind === action && !one.declined);
  if (ASKED_TWICE.includes(action) && !isAnswer && !isTapped(action)) {
    [tapped, tappedAt] = [action, performance.now()];
    setTimeout(redraw, CONFIRM_WITHIN_MS);
    return;
  }
  tapped = null;
  setTimeout(redraw, REFUSAL_SHOWN_MS);
  if (match?.turn) seated!.socket.send({ type: "duel.ask", action, turn: match.turn.id });
}
