import { html, type Html } from "./dom";
import * as say from "./tongue/en";
import type { View } from "./view";

/** Who plays by a clock of minutes stays at the board. */
const FAR_S = 3600;

const plain = document.title;
/** The last turn that this page has shown as one's own. */
let known = 0;
/** What was said to the wish to be told; empty before. */
let answer = "";

export function isYours({ match, phase, side, ballot, hands }: View): boolean {
  const turn = match?.clocks ? match.turn : null;
  return phase === "voting" && !!turn && !turn.paused && turn.to_move.includes(side) && !hands && !ballot.column;
}

/** In a game by clocks the window's title says whose turn it is, and to whom does not look the browser does. */
export function heed(view: View): void {
  const yours = isYours(view);
  document.title = yours ? `${say.nowYou} · ${plain}` : plain;
  const turn = view.match?.turn?.id ?? 0;
  if (yours && turn !== known && document.hidden) ring(view.event.teams.map(({ name }) => name).join(" – "), turn);
  if (yours) known = turn;
}

/** Not every browser that may tell can: some do so for installed pages only. */
function ring(text: string, turn: number): boolean {
  if (!("Notification" in window) || Notification.permission !== "granted") return false;
  try {
    const told = new Notification(say.nowYou, { body: text, tag: `turn ${turn}` });
    told.onclick = () => {
      window.focus();
      told.close();
    };
    return true;
  } catch {
    return false;
  }
}

/** Asked by whoever waits for days, and never before they press it. */
export function bell(view: View): Html | false {
  const { match, phase } = view;
  if (phase !== "voting" || !match?.clocks || match.clocks.bank_s < FAR_S || isYours(view)) return false;
  if (answer) return html`<p class="next" role="status">${answer}</p>`;
  const askable = "Notification" in window && Notification.permission === "default";
  return askable && html`<p class="next"><button type="button" class="small" data-do="bell">${say.tellMe}</button></p>`;
}

/** The first notification says that there will be others. */
export async function askBell(redraw: () => void): Promise<void> {
  const allowed = await Notification.requestPermission();
  answer = allowed === "granted" && ring(say.willTell, 0) ? say.willTell : say.cannotTell;
  redraw();
}
