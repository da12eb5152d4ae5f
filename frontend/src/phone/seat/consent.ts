import type { EventState } from "../../protocol";
import { read, write } from "../../live/browserStorage";
import { html, type Html } from "../dom";
import * as say from "../texts";
import { tabLink } from "./joiningScreen";
import type { PhoneView } from "./phoneView";

const storageKey = (code: string) => `crowdgame:${code}:read`;

/** The consent form, shown until the voter agrees. A changed text is shown again. */
export function consentCard({ event }: PhoneView): Html | false {
  if (!event.consent || read(storageKey(event.code)) === event.consent) return false;
  setTimeout(open);
  return html`<dialog class="consent" aria-labelledby="consent" aria-describedby="terms">
    <h2 id="consent" dir="auto">${event.name}</h2>
    <p id="terms" dir="auto">${event.consent}</p>
    <button type="button" class="go" data-do="agree">${say.agree}</button>
    <p class="disagree">${say.disagree} ${tabLink(`privacy/${event.code}`, say.kept)}</p>
  </dialog>`;
}

/** Remembers on this phone that the voter agreed. The dialog closes when the page is rendered without it. */
export function storeConsent({ code, consent }: EventState): void {
  write(storageKey(code), consent);
}

/** Opens the dialog as soon as it is rendered, and again if Escape closes it. */
function open(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.consent:not([open])");
  if (!dialog) return;
  dialog.onclose = open;
  dialog.showModal();
  dialog.scrollTo(0, 0); // showing it has scrolled to its button
}
