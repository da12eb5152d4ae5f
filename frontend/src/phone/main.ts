import "../live/tokens.css";
import { phaseMoments } from "../live/match/phase";
import { CloseCode, type PagePreload } from "../protocol";
import { readAddress } from "./address";
import { keepScreenAwake } from "../live/wakeLock";
import type { PhoneScreen } from "./phoneScreen";
import { renderHtml, html, type Html } from "./dom";
import { markBody } from "./device/markBody";
import "./phone.css";
import { canCheer, playScreen, countdownEnd } from "./play/playScreen";
import { joiningScreen } from "./seat/joiningScreen";
import { isHiding, readKey } from "./seat/storage";
import { loadDeferred, whenDeferred, deferred } from "./deferred";
import { takeSeat } from "./seat/takeSeat";
import { enamel } from "./play/shape";
import * as say from "./locale/en";
import { switchesLocale } from "./locales";
import { talkStart, phoneView, type PhoneView } from "./seat/phoneView";

const MAX_TIMEOUT_MS = 60_000;
const LAST_MS = 5000;
const TICK_VIBRATION_MS = 15;

const app = document.getElementById("app")!;
/** The event's state when the page was requested; used for the first seat only. */
let pagePreload = JSON.parse(document.getElementById("preload")?.textContent ?? "null") as PagePreload | null;
const screen: PhoneScreen = {
  address: readAddress(location.pathname, location.hash),
  seated: null,
  keepsSeat: true,
  unknown: "",
  empty: false,
  hiding: isHiding(),
  holding: false,
  pressed: 0,
  navigate,
  takeNewSeat,
  redraw,
};
let due = false;
let timer = 0;

function takeNewSeat(): void {
  const { code, team, key } = screen.address;
  screen.seated?.leave();
  screen.keepsSeat = !key || !code || key === readKey(code);
  screen.seated = code ? takeSeat(code, team, key, pagePreload) : null;
  pagePreload = null;
  screen.seated?.store.subscribe(redraw);
  screen.seated?.voter.subscribe(redraw);
  redraw();
}

function navigate(path: string, unknown = ""): void {
  history.replaceState(null, "", path);
  screen.unknown = unknown;
  screen.address = readAddress(path);
  takeNewSeat();
}

/** Draws once for all changes caused by one message. */
function redraw(): void {
  if (!due) queueMicrotask(drawAll);
  due = true;
}

function drawAll(): void {
  due = false;
  clearTimeout(timer);
  renderHtml(app, html`${enamel}${page()}`);
  deferred()?.refocus();
}

function page(): Html {
  const { seated, address, keepsSeat } = screen;
  if (!seated) return screenFor("joining", loadDeferred()?.codeScreen(screen));
  const { event, connection } = seated.store.get();
  const { team, blockedBy, returned } = seated.voter.get();
  const { state } = connection;
  if (state === "away" && connection.code === CloseCode.NO_SUCH_EVENT) navigate("/", address.code!);
  if (state === "away") return screenFor(state, loadDeferred()?.closedScreen(connection.code));
  if (event && !keepsSeat && returned && /tickets|roster/.test(event.admission)) return screenFor("joining", loadDeferred()?.seatChoice(address.key!));
  if (event && team !== null) return seatScreen(phoneView(seated, team, screen));
  if (blockedBy && state !== "crowded") return screenFor("joining", loadDeferred()?.blockedScreen(blockedBy, connection, screen));
  return screenFor(state === "crowded" ? state : "joining");
}

function screenFor(phase: string, shown?: Html): Html {
  markBody(phase);
  return shown ?? joiningScreen(screen.seated?.store.get().connection, screen.address.code);
}

function seatScreen(view: PhoneView): Html {
  const { connection, phase, team, side } = view;
  markBody(/lost|crowded/.test(connection.state) ? connection.state : view.talking ? "talk" : phase, team, side);
  scheduleRedraw(view);
  return playScreen(view, screen.pressed);
}

/** Draws again at the event's next moment, and for every second that the clock counts. */
function scheduleRedraw(view: PhoneView): void {
  const { event, match, now, phase } = view;
  const until = canCheer(view) ? (event.next_match_at ?? 0) : countdownEnd(view);
  const moments = [...phaseMoments(event), ...((match?.reveal && deferred()?.moments(match)) ?? [])];
  if (match) moments.push(talkStart(match));
  if (until > now) moments.push(now + ((until - now - 1) % 1000) + 1);
  const next = Math.min(...moments.filter((moment) => moment > now), now + MAX_TIMEOUT_MS);
  timer = window.setTimeout(() => {
    if (phase === "voting" && until - next < LAST_MS) deferred()?.vibrate(TICK_VIBRATION_MS);
    redraw();
  }, next - screen.seated!.clock.now() + 1);
}

/** The selected column looks pressed at once. Everything else is drawn after that frame. */
addEventListener("pointerdown", ({ target }) => {
  (target as Element).closest("[data-column]:enabled")?.setAttribute("data-pressed", "");
});

addEventListener("click", ({ target }) => {
  const { column, do: what } = (target as Element).closest<HTMLElement>("[data-column],[data-do]")?.dataset ?? {};
  if (column) {
    due = true;
    screen.seated!.cast(Number(column));
    requestAnimationFrame(() => setTimeout(drawAll));
  }
  if (!what) return;
  loadDeferred();
  whenDeferred((part) => part.runAction(what, screen));
});

addEventListener("keydown", (event) => {
  if (!/^([1-9]|Enter|Arrow(Left|Right))$/.test(event.key)) return;
  loadDeferred();
  whenDeferred((part) => part.handleKey(event));
});

if (!switchesLocale(say.code)) {
  // Remove the key from the address, so that it is not shared with the link.
  history.replaceState(null, "", location.pathname);
  addEventListener("hashchange", () => location.reload());
  whenDeferred((part) => part.addListeners(screen));
  keepScreenAwake();
  takeNewSeat();
}
