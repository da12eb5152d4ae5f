import type { Match } from "../../protocol";
import { extendsChoice, toggleColumn, isResignation, toggleResignation } from "./choice";
import type { PhoneScreen } from "../phoneScreen";
import { html, type Html } from "../dom";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";

/** How long the confirmation prompt waits for the second tap. */
const CONFIRM_WITHIN_MS = 5000;

let askedAt = -Infinity;

/** The voter's current choice; after a refusal, the last one that the ballot box accepted. */
const currentChoice = ({ status, heldChoice, choice }: PhoneView["ballot"]) => (status === "refused" ? heldChoice : choice);

/** The resign button. Resigning is a flag of a ballot, so it needs a vote first. */
export function resignation({ match, phase, ballot, hidden }: PhoneView): Html | false {
  const choice = currentChoice(ballot);
  if (!match?.resign || phase !== "voting" || choice === null) return false;
  const wishes = !hidden && isResignation(choice);
  const words = wishes ? say.takeBackWish : performance.now() < askedAt + CONFIRM_WITHIN_MS ? say.surelyGiveUp : say.giveUp;
  return html`<p class="next"><button type="button" class="small" data-do="resign" aria-pressed="${`${wishes}`}">${words}</button></p>`;
}

/**
 * The first tap asks for confirmation and the second one resigns. A tap while resigned withdraws it, but only if the
 * resignation is visible.
 */
export function resign({ seated, redraw, hiding, holding }: PhoneScreen): void {
  const choice = currentChoice(seated!.voter.get().ballot);
  if (choice === null) return;
  const wished = isResignation(choice);
  const seen = wished && (!hiding || holding);
  if (seen || performance.now() < askedAt + CONFIRM_WITHIN_MS) {
    askedAt = -Infinity;
    if (seen || !wished) seated!.cast(toggleResignation(choice));
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
