import { LANGUAGE, t } from "../../live/i18n";
import type { NicknameAnswered } from "../../protocol";
import { html, type Html } from "../dom";
import type { PhoneScreen } from "../phoneScreen";
import type { PhoneView } from "./phoneView";

const LONGEST = 20;
/** Begins an action; the rest is the nickname to have, or nothing. */
const CALL = "call-";

/** Below the voter code: the voter's nickname, and others to choose from. Loaded when the badge is unfolded. */
export function nicknamePanel({ event, nickname: own }: PhoneView): Html | false {
  if (!event.nicknames || event.nicknames === "off" || !own) return false;
  if (own.removed) return html`<p class="nickname" role="status">${t("An organizer removed your nickname.")}</p>`;
  return html`<section class="nickname">
    <p role="status">${own.name ? html`${t("Nickname")}: <strong><bdi>${own.name}</bdi></strong>` : t("Choose a nickname if you like.")}</p>
    ${own.name ? ownName(own) : choices(own, event.nicknames === "typed")}
    <p>${t("The big screen may show it after a match. Your votes stay secret.")}</p>
  </section>`;
}

const ownName = ({ allowed }: NicknameAnswered): Html =>
  html`${!allowed && html`<p>${t("Others see it once an organizer has allowed it.")}</p>`}<p class="names">${button(CALL, t("Remove nickname"))}</p>`;

const choices = ({ suggestions, problem }: NicknameAnswered, typed: boolean): Html => html`<p role="alert">${problem}</p>
  <p class="names">${suggestions.map((name) => button(CALL + name, name))}${button("names", t("Other nicknames"))}</p>
  ${typed && html`<form class="typed"><input maxlength="${LONGEST}" aria-label="${t("Your own nickname")}" placeholder="${t("Your own nickname")}" autocomplete="off"><button class="small">${t("Use")}</button></form>`}`;

const button = (what: string, label: string): Html => html`<button type="button" class="small" data-do="${what}"><bdi>${label}</bdi></button>`;

/** Runs the panel's buttons. Returns whether `what` is one of them. */
export function runNicknameAction(what: string, screen: PhoneScreen): boolean {
  if (what !== "names" && !what.startsWith(CALL)) return false;
  ask(screen, what === "names" ? null : what.slice(CALL.length));
  return true;
}

/** Sends the form's nickname. Returns whether the form is this one. */
export function submitNickname(form: Element, screen: PhoneScreen): boolean {
  if (!form.matches(".typed")) return false;
  const field = form.querySelector("input")!;
  if (field.value.trim()) ask(screen, field.value);
  field.value = "";
  return true;
}

/** Asks for the nickname whenever the badge is unfolded. */
export function listenForNickname(screen: PhoneScreen): void {
  const toggled = ({ target }: Event) => (target as HTMLDetailsElement).matches(".code[open]") && ask(screen, null);
  addEventListener("toggle", toggled, true);
}

function ask({ seated }: PhoneScreen, name: string | null): void {
  const nicknames = seated?.store.get().event?.nicknames;
  if (nicknames && nicknames !== "off") seated!.socket.send({ type: "nickname.ask", name, language: LANGUAGE });
}
