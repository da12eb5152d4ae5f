import { sideForTeam } from "../../live/match/phase";
import type { Connection } from "../../live/connection/connect";
import { CloseCode, type Error, type EventState } from "../../protocol";
import type { PhoneScreen } from "../phoneScreen";
import { html, type Html } from "../dom";
import { gameLink } from "../play/boardLayers";
import { leaveDiscussion } from "../play/discussion";
import { ballPair, connectionHint, privacyLink } from "./joiningScreen";
import { shape } from "../play/shape";
import { buttonName } from "../play/teamNames";
import { awaitReturn, isRemoval, shownVoterCode } from "./removal";
import * as say from "../texts";
import { LANGUAGE } from "../../live/i18n";
import { LOCALES } from "../locales";

// Screens of a phone without a seat.

const CLOSE_REASONS: { [code: number]: keyof typeof say.away } = {
  [CloseCode.OPEN_ELSEWHERE]: "elsewhere",
  [CloseCode.NOT_ALLOWED]: "noSeat",
  [CloseCode.BAD_TOKEN]: "noSeat",
  [CloseCode.KICKED]: "out",
  [CloseCode.BANNED]: "shut",
};

const goButton = (what: string, label: string) => html`<button type="button" class="go" data-do="${what}">${label}</button>`;

/** A title and a text, with content before and after them. */
function messageScreen(title: string, text: string, before: Html | false, after: Html | false): Html {
  return html`<main data-status="idle" class="notice">${before}<h1>${title}</h1><p role="status">${text}</p>${after}</main>`;
}

/** The server has closed the connection for good. */
export function closedScreen(code: number): Html {
  leaveDiscussion();
  if (isRemoval(code)) awaitReturn(code);
  const why = CLOSE_REASONS[code] ?? "old";
  const [title, text, label] = say.away[why];
  const button = !!label && goButton(why === "old" ? "reload" : "reclaim", label);
  return messageScreen(title, text, false, html`${button}${isRemoval(code) && shownVoterCode()}`);
}

/** For a shared device: asks whether to keep the seat. */
export function seatChoice(shown: string): Html {
  return messageScreen(say.whose, say.whoseText, false, html`${goButton("stay", say.asBefore)}${goButton("change", say.withCode(shown))}`);
}

/** No seat yet: enter a code, choose a team, or wait until joining is open. */
export function blockedScreen({ code, event }: Error, connection: Connection, { empty }: PhoneScreen): Html {
  if (code.startsWith("key") && event?.is_duel) return seatless(event);
  if (code.startsWith("key")) return keyForm(code, event, empty);
  if (code === "team_needed") return teamChoice(event);
  const [title, text] = say.blockReasons[code] ?? say.blockReasons.lobby_closed!;
  return messageScreen(title, text, !!event && html`<p class="event">${event.name}</p>`, connectionHint(connection));
}

/** A duel has no code to enter. */
function seatless(event: EventState): Html {
  const [title, text, label] = say.ofTwo;
  return messageScreen(title, text, html`<p class="event">${event.name}</p>`, html`<p>${gameLink(event, label)}</p>`);
}

function teamChoice(event: EventState | null): Html {
  return html`<main data-status="idle" class="choice"><h1>${say.chooseTeam}</h1>
    ${[1, 2].map((team) => {
      const side = event ? sideForTeam(event, team) : team === 1 ? "red" : "yellow";
      return html`<button type="button" data-side="${side}" data-do="${team}">${shape(side)}<span>${event ? buttonName(event, team) : say.team(team)}</span></button>`;
    })}
  </main>`;
}

function keyForm(code: string, event: EventState | null, empty: boolean): Html {
  const admission = event?.admission ?? "rotating";
  const wrong = admission === "rotating" ? say.wrongOnScreen : say.wrongOnPaper;
  const problem = code === "key_used" ? say.keyUsed : code === "key_wrong" ? wrong : "";
  return codeForm(say.asked[admission], empty ? say.typeFirst : problem, admission === "tickets");
}

/** `/`: a form for the code from the projector. */
export function codeScreen({ empty, unknown }: PhoneScreen): Html {
  return codeForm(say.typeBig, empty ? say.typeFirst : unknown && say.noEvent(unknown), false, html`<p class="apart"><a href="/play/">${say.hall}</a></p>`);
}

/** A form for a code, in large letters. Accepts any spelling of a code, and an address that ends with it. `long`: the field shows the whole code. */
function codeForm(label: string, problem: string, long = false, more: Html | false = false): Html {
  return html`<main data-status="idle" class="join">
    ${ballPair()}
    <form>
      <h1><label for="code">${label}</label></h1>
      <input id="code" class="${long && "long"}" maxlength="200" autocomplete="off" autocapitalize="characters" spellcheck="false" enterkeyhint="go"
        aria-invalid="${`${!!problem}`}" aria-describedby="problem">
      <p id="problem" class="problem" role="alert">${problem}</p>
      <button type="submit" class="go">${say.join}</button>
      ${more}
      <p class="privacy">${privacyLink} ${localePicker()}</p>
    </form>
  </main>`;
}

/** The language picker. Changing the language reloads the page. */
export function localePicker(): Html {
  const option = ([code, name]: readonly [string, string]) => html`<option lang="${code}" value="${code}" ${code === LANGUAGE && html`selected`}>${name}</option>`;
  return html`<select aria-label="${say.language}">${Object.entries(LOCALES).map(option)}</select>`;
}
