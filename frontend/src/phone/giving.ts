import type { Match } from "../protocol";
import { goesOn, pressed, resigns, wishing } from "./choice";
import type { Desk } from "./desk";
import { html, type Html } from "./dom";
import * as say from "./tongue/en";
import type { View } from "./view";

/** So long a first press waits for the second one. */
const SURE_WITHIN_MS = 5000;

let askedAt = -Infinity;

/** What the voter last chose and still stands for. */
const inHand = ({ status, standing, column }: View["ballot"]) => (status === "refused" ? standing : column);

/** The wish to give the match up rides on a vote: first somebody votes. */
export function resignation({ match, phase, ballot, hidden }: View): Html | false {
  const choice = inHand(ballot);
  if (!match?.resign || phase !== "voting" || choice === null) return false;
  const wishes = !hidden && resigns(choice);
  const words = wishes ? say.takeBackWish : performance.now() < askedAt + SURE_WITHIN_MS ? say.surelyGiveUp : say.giveUp;
  return html`<p class="next"><button type="button" class="small" data-do="resign" aria-pressed="${`${wishes}`}">${words}</button></p>`;
}

/** Once to be asked, once more to wish it; or to wish it no longer, which nobody does who cannot see it. */
export function resign({ seated, redraw, hiding, holding }: Desk): void {
  const choice = inHand(seated!.mine.get().ballot);
  if (choice === null) return;
  const wished = resigns(choice);
  const seen = wished && (!hiding || holding);
  if (seen || performance.now() < askedAt + SURE_WITHIN_MS) {
    askedAt = -Infinity;
    if (seen || !wished) seated!.cast(wishing(choice));
    return;
  }
  askedAt = performance.now();
  setTimeout(redraw, SURE_WITHIN_MS);
}

/** Before the first part of the page takes a press for the whole choice. */
export function listenForMore(desk: Desk): void {
  const more = (event: Event) => {
    const column = (event.target as Element).closest<HTMLElement>("[data-column]")?.dataset.column;
    const match: Match | null | undefined = desk.seated?.store.get().event?.match;
    if (!column || !match) return;
    const choice = inHand(desk.seated!.mine.get().ballot);
    if (!goesOn(match, choice)) return;
    event.stopImmediatePropagation();
    desk.seated!.cast(pressed(choice, Number(column), match));
    desk.redraw();
  };
  addEventListener("click", more, true);
}
