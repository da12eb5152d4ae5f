import { connect, type Link } from "../../live/connection/connect";
import { LANGUAGE } from "../../live/i18n";
import type { ChatMessage, DiscussionUpdated, SuggestionMark, ToChat } from "../../protocol";
import { html, type Html } from "../dom";
import type { PhoneScreen } from "../phoneScreen";
import { readToken } from "../seat/storage";
import type { PhoneView } from "../seat/phoneView";
import * as say from "../texts";

const LONGEST = 140;
/** Screen readers hear a new number of suggestions at most this often. */
const ANNOUNCE_EVERY_MS = 15_000;
/** Begins an action; the rest is what to do and the suggestion's id. */
const MARK = "mark-";

let link: Link<ChatMessage, ToChat> | null = null;
/** The event and the team whose suggestions are shown; empty if there is no discussion. */
let room = "";
let latest: DiscussionUpdated | null = null;
let earlier: DiscussionUpdated | null = null;
let agreed: readonly number[] = [];
let problem = "";
let sent: HTMLFormElement | null = null;
let announced = { total: 0, at: -Infinity };
let isOpen = false;
let redraw = () => {};

export function listenForDiscussion(screen: PhoneScreen): void {
  redraw = screen.redraw;
}

/** Below the board: the button that opens the suggestions, with their number. */
export function discussionButton(view: PhoneView): Html | false {
  enter(view);
  const { length } = inTurn(view);
  return !!room && html`<p class="next talk"><button type="button" class="small" data-do="discussion">${say.discussion}${length > 0 && html` <b aria-label="${say.suggestions(latest!.total)}">${latest!.total}</b>`}</button></p>`;
}

/** Listens to the team's room, or to none. A voter who changes teams listens to the other one. */
function enter({ event, team, hands }: PhoneView): void {
  const wanted = event.team_discussion && !hands ? `${event.code} ${team}` : "";
  if (wanted === room) return;
  room = wanted;
  latest = earlier = null;
  agreed = [];
  link?.socket.close();
  link ??= connect<ChatMessage, ToChat>("/ws/chat", join, receive);
  if (room) link.socket.open();
}

/** While the seat is closed: its next one listens anew. */
export function leaveDiscussion(): void {
  room = "";
  link?.socket.close();
}

/** A suggestion that was sent before is not answered after a new join: its form keeps the text. */
function join(): ChatMessage {
  sent = null;
  return { type: "chat.join", key: readToken(room.split(" ")[0]!)!, seq: 0 };
}

function receive(message: ToChat): void {
  if (message.type === "discussion.updated") {
    if (latest?.suggestions.length && latest.turn !== message.turn) earlier = latest;
    latest = message;
  } else if (message.type === "suggestion.answered") {
    ({ agreed, problem } = message);
    if (!problem) sent?.reset();
    sent = null;
  } else return;
  redraw();
}

const inTurn = ({ match }: PhoneView) => (latest && latest.turn === match?.turn?.id ? latest.suggestions : []);

/** The sheet with the suggestions, once opened. */
export function discussionSheet(view: PhoneView): Html | false {
  if (!room) isOpen = false;
  if (!isOpen) return false;
  setTimeout(show);
  const shown = inTurn(view);
  const old = shown === latest?.suggestions ? earlier : (latest ?? earlier);
  return html`<dialog class="discussion" aria-labelledby="discussion">
    <header><h2 id="discussion">${say.discussion}</h2><button type="button" class="small" data-do="close">${say.close}</button></header>
    <p class="hidden" role="status">${shown.length > 0 && countText()}</p>
    <div class="list" tabindex="0" role="group" aria-labelledby="discussion">
      <p class="note">${say.discussionReaders}</p>
      <ul>${shown.map((one) => suggestion(one, true))}</ul>
      ${!shown.length && html`<p class="none">${say.noSuggestions}</p>`}
      ${!!old?.suggestions.length && html`<details><summary>${say.earlierTurn}</summary><ul>${old.suggestions.map((one) => suggestion(one, false))}</ul></details>`}
    </div>
    ${form(view)}
  </dialog>`;
}

function countText(): string {
  const now = performance.now();
  if (now > announced.at + ANNOUNCE_EVERY_MS) announced = { total: latest!.total, at: now };
  return say.suggestions(announced.total);
}

function suggestion({ id, name, text, choice, agreed: support }: DiscussionUpdated["suggestions"][number], isCurrent: boolean): Html {
  const own = agreed.includes(id);
  return html`<li class="suggestion" key="${id}">
    ${name && html`<p class="note"><bdi>${name}</bdi></p>`}<p>${choice && html`<b>${say.column(choice)}</b> `}<bdi>${text}</bdi></p>
    ${isCurrent && html`<button type="button" class="small" data-do="${MARK}${own ? "withdraw" : "agree"}-${id}" aria-pressed="${`${own}`}">${say.agreeWith} <b>${support}</b></button>
    <button type="button" class="small quiet" data-do="${MARK}report-${id}">${say.report}</button>`}
  </li>`;
}

function form({ match, side, phase }: PhoneView): Html {
  if (!match?.turn || !/^(voting|waiting|paused|reveal)$/.test(phase)) return html`<p class="note">${say.writeLater}</p>`;
  const columns = match.board.grid.length ? match.turn.legal[side] : [];
  return html`<p role="alert">${problem}</p><form class="suggest">
    <input class="text" maxlength="${LONGEST}" aria-label="${say.ownSuggestion}" placeholder="${say.ownSuggestion}" autocomplete="off" enterkeyhint="send">
    ${columns.length > 0 && html`<select class="about" aria-label="${say.about}"><option value="">${say.about}</option>${columns.map((one) => html`<option value="${one}">${say.column(one)}</option>`)}</select>`}
    <button class="small">${say.send}</button>
  </form>`;
}

/** Opens the dialog as soon as it is rendered. */
function show(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.discussion:not([open])");
  if (!isOpen || !dialog) return;
  dialog.addEventListener("close", () => ((isOpen = false), redraw()), { once: true });
  dialog.showModal();
}

/** Runs the actions of the button and the sheet. Returns whether `what` is one of them. */
export function runDiscussionAction(what: string): boolean {
  if (what === "discussion") {
    isOpen = true;
    problem = "";
    link?.socket.probe();
    return true;
  }
  const [, mark, id] = /^mark-(\w+)-(\d+)$/.exec(what) ?? [];
  if (mark) link?.socket.send({ type: "suggestion.mark", id: Number(id), mark: mark as SuggestionMark["mark"] });
  return !!mark;
}

/** Sends the form's suggestion; an accepted one clears it. Returns whether the form is this one. */
export function submitSuggestion(target: Element): boolean {
  if (!target.matches(".suggest")) return false;
  sent = target as HTMLFormElement;
  const text = sent.querySelector("input")!.value.trim();
  const choice = Number(sent.querySelector("select")?.value) || null;
  if (text) link?.socket.send({ type: "suggestion.send", text, choice, language: LANGUAGE });
  return true;
}
