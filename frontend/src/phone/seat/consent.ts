import type { EventState } from "../../protocol";
import { read, write } from "../../live/browserStorage";
import { html, type Html } from "../dom";
import * as say from "../texts";
import type { PhoneView } from "./phoneView";

const storageKey = (code: string) => `crowdgame:${code}:read`;

/** The consent form, shown once before the first vote if votes are used in a study. A changed text is shown again. */
export function consentCard({ event }: PhoneView): Html | false {
  if (!event.consent || read(storageKey(event.code)) === event.consent) return false;
  setTimeout(() => open(event));
  return html`<dialog class="consent" aria-labelledby="consent" aria-describedby="study">
    <h2 id="consent">${event.name}</h2>
    <p id="study">${event.consent}</p>
    <button type="button" class="go" data-do="read">${say.close}</button>
  </dialog>`;
}

/** The dialog closes when the page is rendered without it. */
export function storeConsent({ code, consent }: EventState): void {
  write(storageKey(code), consent);
}

function open(event: EventState): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.consent:not([open])");
  dialog?.addEventListener("close", () => storeConsent(event), { once: true });
  dialog?.showModal();
}
