import { phaseMoments } from "../live/match/phase";
import { CloseCode } from "../protocol";
import { deferred, loadDeferred } from "./deferred";
import { markBody } from "./device/markBody";
import type { Html } from "./dom";
import type { PhonePage } from "./phonePage";
import { canCheer, countdownEnd, playScreen } from "./play/playScreen";
import { joiningScreen } from "./seat/joiningScreen";
import { phoneView, talkStart, type PhoneView } from "./seat/phoneView";

const MAX_TIMEOUT_MS = 60_000;
const LAST_MS = 5000;
const TICK_VIBRATION_MS = 15;

let timer = 0;

/** The screen for the page's state. Also marks the body, and schedules the next drawing of a seat. */
export function currentScreen(page: PhonePage): Html {
  const { seated, address, keepsSeat } = page;
  /** `shown`, or the loading screen while the deferred bundle is missing. */
  const unseated = (phase: string, shown?: Html) => {
    markBody(phase);
    return shown ?? joiningScreen(seated?.store.get().connection, address.code);
  };
  clearTimeout(timer);
  if (!seated) return unseated("joining", loadDeferred()?.codeScreen(page));
  const { event, connection } = seated.store.get();
  const { team, blockedBy, returned } = seated.voter.get();
  const { state } = connection;
  if (state === "away" && connection.code === CloseCode.NO_SUCH_EVENT) page.navigate("/", address.code!);
  if (state === "away") return unseated(state, loadDeferred()?.closedScreen(connection.code));
  const { admission } = event ?? {};
  if (!keepsSeat && returned && (admission === "tickets" || admission === "roster")) return unseated("joining", loadDeferred()?.seatChoice(address.key!));
  if (event && team !== null) return seatScreen(page, phoneView(seated, team, page));
  if (blockedBy && state !== "crowded") return unseated("joining", loadDeferred()?.blockedScreen(blockedBy, connection, page));
  return unseated(state === "crowded" ? state : "joining");
}

function seatScreen(page: PhonePage, view: PhoneView): Html {
  const { phase, team, side, talking } = view;
  const { state } = view.connection;
  markBody(state === "lost" || state === "crowded" ? state : talking ? "talk" : phase, team, side);
  scheduleRedraw(page, view);
  return playScreen(view, page.pressed);
}

/** Draws again at the event's next moment, and for every second that the clock counts. */
function scheduleRedraw(page: PhonePage, view: PhoneView): void {
  const { event, match, now, phase } = view;
  const until = canCheer(view) ? (event.next_match_at ?? 0) : countdownEnd(view);
  const moments = [...phaseMoments(event), ...(deferred()?.moments(event) ?? [])];
  if (match) moments.push(talkStart(match));
  if (until > now) moments.push(now + ((until - now - 1) % 1000) + 1);
  const next = Math.min(...moments.filter((moment) => moment > now), now + MAX_TIMEOUT_MS);
  timer = window.setTimeout(() => {
    if (phase === "voting" && until - next < LAST_MS) deferred()?.vibrate(TICK_VIBRATION_MS);
    page.redraw();
  }, next - page.seated!.clock.now() + 1);
}
