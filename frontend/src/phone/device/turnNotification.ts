import { html, type Html } from "../dom";
import * as say from "../texts";
import { tabLink } from "../seat/joiningScreen";
import type { PhoneView } from "../seat/phoneView";

/** Shorter time banks get no notifications: the players stay at the board. */
const LONG_BANK_S = 3600;

const ANSWER_SHOWN_MS = 10_000;

let plain = "";
/** The last turn that this page has announced as the player's own. */
let lastShownTurn = 0;
/** The result of the permission request; empty before it. */
let answer = "";
let answeredAt = -Infinity;

export function isOwnTurn({ match, phase, side, ballot, hands }: PhoneView): boolean {
  const turn = match?.clocks ? match.turn : null;
  return phase === "voting" && !!turn && !turn.paused && turn.to_move.includes(side) && !hands && !ballot.choice;
}

/**
 * In a game with time banks, the window's title says when it is the player's turn. A hidden page also shows a
 * notification.
 */
export function updateTitle(view: PhoneView): void {
  const yours = isOwnTurn(view);
  plain ||= document.title;
  document.title = yours ? `${say.nowYou} · ${plain}` : plain;
  const turn = view.match?.turn?.id ?? 0;
  if (yours && turn !== lastShownTurn && document.hidden) showNotification(view.event.teams.map(({ name }) => name).join(" – "), turn);
  if (yours) lastShownTurn = turn;
}

/** Returns whether it was shown. Some browsers have permission but allow notifications only for installed pages. */
function showNotification(text: string, turn: number): boolean {
  if (!("Notification" in window) || Notification.permission !== "granted") return false;
  try {
    const notification = new Notification(say.nowYou, { body: text, tag: `turn ${turn}` });
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
    return true;
  } catch {
    return false;
  }
}

/** What the player is told after the permission request, for a few seconds. */
export const notifyAnswer = (): string | false => performance.now() < answeredAt + ANSWER_SHOWN_MS && answer;

/** A button, offered only in games with long time banks. The permission is requested only after a tap. */
export function notifyButton(view: PhoneView, label: Html | string = say.notifyMe): Html | false {
  const { match, phase } = view;
  if (phase !== "voting" || !match?.clocks || match.clocks.bank_s < LONG_BANK_S || isOwnTurn(view) || answer) return false;
  const askable = "Notification" in window && Notification.permission === "default";
  return askable && html`<button type="button" class="small" data-do="bell" aria-label="${say.notifyMe}">${label}</button>`;
}

/** In votes that last hours, a link to what has happened so far. */
export const storyLink = ({ event, match, phase }: PhoneView): Html | false => !!match && match.window_s >= LONG_BANK_S && !match.clocks && phase !== "ended" && tabLink(`follow/${event.code}`, say.story);

/** A link to the page on which voters ask for notifications. */
export const voteMailLink = ({ event, phase }: PhoneView): Html | false => event.vote_mail && phase !== "ended" && tabLink(`play/mail/${event.code}`, say.notifyOfVotes);

/** The first notification confirms that there will be others. */
export async function requestNotifications(redraw: () => void): Promise<void> {
  const allowed = await Notification.requestPermission();
  answer = allowed === "granted" && showNotification(say.willNotify, 0) ? say.willNotify : say.cannotNotify;
  answeredAt = performance.now();
  setTimeout(redraw, ANSWER_SHOWN_MS);
  redraw();
}
