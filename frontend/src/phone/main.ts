import "../live/tokens.css";
import { phaseMoments } from "../live/phase";
import { CloseCode, type PageTold } from "../protocol";
import { readAddress } from "./address";
import { keepAwake } from "./awake";
import type { Desk } from "./desk";
import { draw, html, type Html } from "./dom";
import { mark } from "./mark";
import "./phone.css";
import { canCheer, play, untilOf } from "./play";
import { entering } from "./screens";
import { isHiding, readKey } from "./seat";
import { need, onceHere, second } from "./second";
import { takeSeat } from "./seated";
import { enamel } from "./shape";
import * as say from "./tongue/en";
import { speaksAnother } from "./tongues";
import { talkMoment, viewOf, type View } from "./view";

const LONGEST_SLEEP_MS = 60_000;
const LAST_MS = 5000;
const TICK_BUZZ_MS = 15;

const app = document.getElementById("app")!;
/** Of the event, as it was when the page was asked for: for the first seat only. */
let told = JSON.parse(document.getElementById("told")?.textContent ?? "null") as PageTold | null;
const desk: Desk = {
  address: readAddress(location.pathname, location.hash),
  seated: null,
  stays: true,
  unknown: "",
  empty: false,
  hiding: isHiding(),
  holding: false,
  pressed: 0,
  go,
  sit,
  redraw,
};
let due = false;
let timer = 0;

function sit(): void {
  const { code, team, key } = desk.address;
  desk.seated?.leave();
  desk.stays = !key || !code || key === readKey(code);
  desk.seated = code ? takeSeat(code, team, key, told) : null;
  told = null;
  desk.seated?.store.subscribe(redraw);
  desk.seated?.mine.subscribe(redraw);
  redraw();
}

function go(path: string, unknown = ""): void {
  history.replaceState(null, "", path);
  desk.unknown = unknown;
  desk.address = readAddress(path);
  sit();
}

/** Once for all that one message changes. */
function redraw(): void {
  if (!due) queueMicrotask(drawAll);
  due = true;
}

function drawAll(): void {
  due = false;
  clearTimeout(timer);
  draw(app, html`${enamel}${page()}`);
  second()?.refocus();
}

function page(): Html {
  const { seated, address, stays } = desk;
  if (!seated) return at("joining", need()?.typing(desk));
  const { event, connection } = seated.store.get();
  const { team, hindrance, returned } = seated.mine.get();
  const { state } = connection;
  if (state === "away" && connection.code === CloseCode.NO_SUCH_EVENT) go("/", address.code!);
  if (state === "away") return at(state, need()?.away(connection.code));
  if (event && !stays && returned && /tickets|roster/.test(event.admission)) return at("joining", need()?.whose(address.key!));
  if (event && team !== null) return seat(viewOf(seated, team, desk));
  if (hindrance && state !== "crowded") return at("joining", need()?.hindered(hindrance, connection, desk));
  return at(state === "crowded" ? state : "joining");
}

function at(phase: string, shown?: Html): Html {
  mark(phase);
  return shown ?? entering(desk.seated?.store.get().connection, desk.address.code);
}

function seat(view: View): Html {
  const { connection, phase, team, side } = view;
  mark(/lost|crowded/.test(connection.state) ? connection.state : view.talking ? "talk" : phase, team, side);
  wake(view);
  return play(view, desk.pressed);
}

/** Draws again as the next of the event's moments passes, and with every second that the clock counts. */
function wake(view: View): void {
  const { event, match, now, phase } = view;
  const until = canCheer(view) ? (event.next_match_at ?? 0) : untilOf(view);
  const moments = [...phaseMoments(event), ...((match?.reveal && second()?.moments(match)) ?? [])];
  if (match) moments.push(talkMoment(match));
  if (until > now) moments.push(now + ((until - now - 1) % 1000) + 1);
  const next = Math.min(...moments.filter((moment) => moment > now), now + LONGEST_SLEEP_MS);
  timer = window.setTimeout(() => {
    if (phase === "voting" && until - next < LAST_MS) second()?.buzz(TICK_BUZZ_MS);
    redraw();
  }, next - desk.seated!.clock.now() + 1);
}

/** The column under a finger looks pressed at once; all else is drawn after that was seen. */
addEventListener("pointerdown", ({ target }) => {
  (target as Element).closest("[data-column]:enabled")?.setAttribute("data-pressed", "");
});

addEventListener("click", ({ target }) => {
  const { column, do: what } = (target as Element).closest<HTMLElement>("[data-column],[data-do]")?.dataset ?? {};
  if (column) {
    due = true;
    desk.seated!.cast(Number(column));
    requestAnimationFrame(() => setTimeout(drawAll));
  }
  if (!what) return;
  need();
  onceHere((part) => part.act(what, desk));
});

addEventListener("keydown", (event) => {
  if (!/^([1-9]|Enter|Arrow(Left|Right))$/.test(event.key)) return;
  need();
  onceHere((part) => part.key(event));
});

if (!speaksAnother(say.code)) {
  // A key that is left in the address would be shared with it.
  history.replaceState(null, "", location.pathname);
  addEventListener("hashchange", () => location.reload());
  onceHere((part) => part.listen(desk));
  keepAwake();
  sit();
}
