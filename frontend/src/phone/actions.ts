import { watchClock } from "../live/connection/clockWatch";
import { runCardAction } from "./play/matchCard";
import { shownDropTurn } from "./play/drop";
import { Cheering } from "./play/cheering";
import { listenForDiscussion, runDiscussionAction, submitSuggestion } from "./play/discussion";
import { storeConsent } from "./seat/consent";
import { listenForNickname, runNicknameAction, submitNickname } from "./seat/nickname";
import { setScreen } from "./seat/removal";
import type { PhoneScreen } from "./phoneScreen";
import { askForDraw, listenForSeveral, resign } from "./ballot/requests";
import { forgetSeat, storeHiding } from "./seat/storage";
import type { SeatedPhone } from "./seat/voterState";
import { runDuelAction } from "./play/duelActions";
import { runSideAction } from "./play/sides";
import type { DuelAction } from "../protocol";
import { setLocale } from "./locales";
import { requestNotifications } from "./device/turnNotification";
import { normalizeCode } from "./typedCode";

const HOLD_MS = 400;
const MAX_CODE_LENGTH = 16;

// Infinity until the listeners are there: a tap made before them is not a long press.
let heldAt = Infinity;
let cheering: { seated: SeatedPhone; by: Cheering } | null = null;

/** Runs the action of a tapped button, except for the columns. */
export function runAction(what: string, screen: PhoneScreen): void {
  const { seated } = screen;
  if (what === "cheer") cheer(screen, seated!);
  else if (what === "hide" && performance.now() - heldAt < HOLD_MS) storeHiding((screen.hiding = !screen.hiding));
  else if (what === "rematch") seated!.socket.send({ type: "rematch.ask" });
  else if (what.startsWith("duel-")) runDuelAction(what.slice(5) as DuelAction, screen);
  else if (what === "stay") screen.keepsSeat = true;
  else if (what === "change") change(screen);
  else if (what === "reclaim") seated!.reclaim();
  else if (what === "bell") void requestNotifications(screen.redraw);
  else if (what === "reload") location.reload();
  else if (what === "drop") seated!.socket.send({ type: "drop.show", turn: shownDropTurn() });
  else if (/^[12]$/.test(what)) seated!.choose(Number(what));
  else if (/^(side|look|cross|remain)$/.test(what)) runSideAction(what, screen);
  else if (what === "resign") resign(screen);
  else if (what === "draw") askForDraw(screen);
  else if (what === "agree") storeConsent(seated!.store.get().event!);
  else if (!runNicknameAction(what, screen) && !runDiscussionAction(what)) runCardAction(what);
  screen.redraw();
}

function change(screen: PhoneScreen): void {
  forgetSeat(screen.address.code!);
  screen.takeNewSeat();
}

function cheer(screen: PhoneScreen, seated: SeatedPhone): void {
  if (cheering?.seated !== seated) cheering = { seated, by: new Cheering((message) => void seated.socket.send(message), changed) };
  const { by } = cheering;
  by.press();

  function changed(): void {
    screen.pressed = by.pressed;
    screen.redraw();
  }
}

/** Listeners for the code form, the language menu, and the button that shows a hidden vote while it is held down. */
export function addListeners(screen: PhoneScreen): void {
  const hold = (holding: boolean) => {
    if (screen.holding !== holding) screen.redraw();
    screen.holding = holding;
  };
  listenForSeveral(screen);
  listenForNickname(screen);
  listenForDiscussion(screen);
  setScreen(screen);
  watchClock(() => screen.seated?.socket.probe());
  addEventListener("submit", (event) => submit(event, screen));
  addEventListener("change", ({ target }) => target instanceof HTMLSelectElement && !target.matches(".about") && setLocale(target.value));
  addEventListener("pointerup", () => hold(false));
  addEventListener("pointercancel", () => hold(false));
  addEventListener("pointerdown", ({ target }) => {
    heldAt = performance.now();
    hold((target as Element).closest('[data-do="hide"]') !== null);
  });
  screen.redraw();
}

function submit(event: Event, screen: PhoneScreen): void {
  event.preventDefault();
  if (submitNickname(event.target as Element, screen) || submitSuggestion(event.target as Element)) return;
  const typed = document.querySelector("input")!.value;
  const key = readCode(typed);
  const [address, ticket] = typed.split("#");
  screen.empty = !key;
  if (key && screen.seated) screen.seated.show(key);
  else if (key && ticket) location.assign(`/${readCode(address!)}#${key}`);
  else if (key) screen.navigate(`/${encodeURIComponent(key)}`);
  screen.redraw();
}

function readCode(typed: string): string {
  return normalizeCode(typed).slice(0, MAX_CODE_LENGTH);
}
