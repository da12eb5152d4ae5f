import type { Match } from "../../protocol";
import { otherSide } from "../../live/match/grid";
import { extendsChoice, toggleColumn, request, toggleRequest } from "./choice";
import { DRAW, RESIGN } from "./encoding";
import type { PhoneScreen } from "../phoneScreen";
import { html, type Html } from "../dom";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";

/** How long the confirmation prompt waits for the second tap. */
const CONFIRM_WITHIN_MS = 5000;

let askedAt = -Infinity;

/** The voter's current choice; after a refusal, the last one that the ballot box accepted. */
const currentChoice = ({ status, heldChoice, choice }: PhoneView["ballot"]) => (status === "refused" ? heldChoice : choice);

/** The buttons to resign, and to offer or accept a draw. Both are requests of a ballot, so they need a vote first. */
export function requestButtons({ match, phase, ballot, hidden, side }: PhoneView): Html | false {
  const choice = currentChoice(ballot);
  if (!(match?.resign || match?.draw_offers) || phase !== "voting" || choice === null) return false;
  const shown = hidden ? 0 : request(choice);
  const resign = shown === RESIGN ? say.takeBackWish : performance.now() < askedAt + CONFIRM_WITHIN_MS ? say.surelyGiveUp : say.giveUp;
  const draw = match.turn!.draw_offered_by === otherSide(side) ? say.acceptDraw : say.duelActions.draw;
  return html`<p class="next${!!match.resign && match.draw_offers && " duel"}">${!!match.resign && button("resign", shown === RESIGN, resign)}${match.draw_offers && button("draw", shown === DRAW, draw)}</p>`;
}

const button = (action: string, isPressed: boolean, words: string): Html =>
  html`<button type="button" class="small" data-do="${action}" aria-pressed="${`${isPressed}`}">${words}</button>`;

/** Asks for a draw or withdraws that, but only if the request is visible. */
export function askForDraw({ seated, hiding, holding }: PhoneScreen): void {
  const choice = currentChoice(seated!.voter.get().ballot);
  const isHidden = hiding && !holding && request(choice) === DRAW;
  if (choice !== null && !isHidden) seated!.cast(toggleRequest(choice, DRAW));
}

/**
 * The first tap asks for confirmation and the second one resigns. A tap while resigned withdraws it, but only if the
 * resignation is visible.
 */
export function resign({ seated, redraw, hiding, holding }: PhoneScreen): void {
  const choice = currentChoice(seated!.voter.get().ballot);
  if (choice === null) return;
  const wished = request(choice) === RESIGN;
  const seen = wished && (!hiding || holding);
  if (seen || performance.now() < askedAt + CONFIRM_WITHIN_MS) {
    askedAt = -Infinity;
    if (seen || !wished) seated!.cast(toggleRequest(choice, RESIGN));
    return;
  }
  askedAt = performance.now();
  setTimeout(redraw, CONFIRM_WITHIN_MS);
}

/** Captures taps on columns before the page's first part, which would replace the whole choice. */
export function listenForSeveral(screen: PhoneScreen): void {
  const more = (event: Event) => {
    const column = (event.target as Element).closest<HTMLElement>("[data-column]")?.dataset.column;
    const match: Match | null | undefined = screen.seated?.store.get().event?.match;
    if (!column || !match) return;
    const choice = currentChoice(screen.seated!.voter.get().ballot);
    if (!extendsChoice(match, choice)) return;
    event.stopImmediatePropagation();
    screen.seated!.cast(toggleColumn(choice, Number(column), match));
    screen.redraw();
  };
  addEventListener("click", more, true);
}
