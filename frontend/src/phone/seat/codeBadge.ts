import { html, type Html } from "../dom";
import * as say from "../texts";
import { nicknamePanel } from "./nickname";
import type { PhoneView } from "./phoneView";

const badge = html`<svg viewBox="-12 -12 24 24" aria-hidden="true"><circle cy="-3.5" r="4.5"/><path d="M-8.5 9A8.5 7 0 0 1 8.5 9Z"/></svg>`;

/** The voter code behind a badge in the corner, by which organizers find this phone, and the nickname. */
export function voterCodeBadge(view: PhoneView): Html | false {
  const { voterCode } = view;
  return !!voterCode && html`<details class="code"><summary aria-label="${say.yourVoterCode}">${badge}</summary><div>${voterCodeText(voterCode)}${say.codeUse}${nicknamePanel(view)}</div></details>`;
}

export const voterCodeText = (code: string) => html`<p>${say.yourVoterCode}: <b dir="ltr">${code.slice(0, 3)}\u00a0${code.slice(3)}</b></p>`;
