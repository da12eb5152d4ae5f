import { CloseCode, type PhoneJoin } from "../../protocol";
import { html, type Html } from "../dom";
import type { PhoneScreen } from "../phoneScreen";
import * as say from "../texts";
import { voterCodeText } from "./codeBadge";
import { readToken } from "./storage";

const ASK_EVERY_MS = 4000;
const ANSWER_WITHIN_MS = 10_000;
const NOTICE_MS = 10_000;

let screen: PhoneScreen;
let timer = 0;
let noticeUntil = 0;

export const setScreen = (page: PhoneScreen) => void (screen = page);

/** Whether an organizer disconnected this voter. */
export const isRemoval = (closeCode: number) => closeCode === CloseCode.KICKED || closeCode === CloseCode.BANNED;

/** Asks the server every few seconds whether the removal was undone, and rejoins then. Idempotent. */
export function awaitReturn(closeCode: number): void {
  if (timer) return;
  timer = window.setTimeout(() => {
    timer = 0;
    if (isAway()) ask(closeCode);
  }, ASK_EVERY_MS * (0.5 + Math.random()));
}

const isAway = () => screen.seated?.store.get().connection.state === "away";

/** The voter code, by which the organizers can undo the removal. Unknown after a reload. */
export function shownVoterCode(): Html | false {
  const { voterCode } = screen.seated!.voter.get();
  return !!voterCode && voterCodeText(voterCode);
}

/** Tries to join on a socket of its own, so that the screen stays as it is. */
function ask(closeCode: number): void {
  const code = screen.address.code!;
  const join: PhoneJoin = { type: "phone.join", code, token: readToken(code), removed: closeCode === CloseCode.KICKED };
  const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/ws/phone`);
  const end = () => {
    clearTimeout(limit);
    socket.onmessage = socket.onclose = null;
    socket.close();
  };
  const refused = (code = closeCode) => {
    end();
    if (isAway() && isRemoval(code)) screen.seated!.store.set({ connection: { state: "away", code } });
    awaitReturn(isRemoval(code) ? code : closeCode);
  };
  const limit = setTimeout(refused, ANSWER_WITHIN_MS);
  socket.onopen = () => socket.send(JSON.stringify(join));
  socket.onmessage = ({ data }) => {
    if ((JSON.parse(String(data)) as { type: string }).type !== "phone.welcomed") return;
    end();
    if (!isAway()) return;
    noticeUntil = performance.now() + NOTICE_MS;
    screen.seated!.reclaim();
  };
  socket.onclose = ({ code }) => refused(code);
}

/** The notice after an organizer has undone the removal. */
export function returnNotice(): Html | false {
  return performance.now() < noticeUntil && html`<p class="ground-notice" aria-live="polite">${say.letBackIn}</p>`;
}
