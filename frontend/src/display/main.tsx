import { render } from "preact";
import "@fontsource/barlow-condensed/latin-600.css";
import "@fontsource/barlow-condensed/latin-800.css";
import "@fontsource/barlow-condensed/latin-ext-600.css";
import "@fontsource/barlow-condensed/latin-ext-800.css";
import type { DisplayMessage, DisplayWelcomed, EventState, KeyShown, TeamCounted, ToDisplay, TurnSealed } from "../protocol";
import { connect } from "../live/connect";
import { isReopened, laterSeal } from "../live/seals";
import { Store, useStore } from "../live/store";
import "../live/tokens.css";
import "./display.css";
import { Playing } from "./Playing";
import { Guard, Waiting } from "./Sign";
import { onKeys, type Command } from "./keys";
import { NOTICE_MS, noticeOf, type Notice } from "./notices";
import { orderFor } from "./orders";
import { Presenter } from "./presenter";
import { sceneAt } from "./scene";
import { fillScreen, keepAwake, lookOf, ownKey, showPointer } from "./screen";
import { Sound } from "./sound";
import type { Cheers } from "./view";

interface Own {
  welcome: DisplayWelcomed | null;
  key: KeyShown | null;
  sealed: TurnSealed | null;
  counts: TeamCounted | null;
  notice: Notice | null;
  cheers: Cheers;
  hints: boolean;
  blank: boolean;
  sounds: boolean;
}

const CHEERED_MS = 1600;
const QUIET: Cheers = { all: [0, 0], latest: [0, 0] };

const code = decodeURIComponent(location.pathname.split("/")[2] ?? "").toUpperCase();
const key = ownKey(code);
const look = lookOf(location.search);
const sound = new Sound();
const presenter = new Presenter(code);
const own = new Store<Own>({
  welcome: null, key: null, sealed: null, counts: null, notice: null, cheers: QUIET, hints: false, blank: false, sounds: sound.on,
});
let before: EventState | null = null;
let silence = 0;
let calm = 0;

function heard(message: ToDisplay): void {
  if (message.type === "display.welcomed") own.set({ welcome: message, key: null });
  if (message.type === "key.shown") own.set({ key: message });
  if (message.type === "turn.sealed") own.set({ sealed: laterSeal(own.get().sealed, message) });
  if (message.type === "team.counted") own.set({ counts: message });
  if (message.type === "cheers.counted") cheer(message.presses);
  const notice = noticeOf(message, before);
  if ("state" in message) follow(message.state);
  if (notice === null) return;
  own.set({ notice });
  clearTimeout(silence);
  silence = window.setTimeout(() => own.set({ notice: null }), NOTICE_MS);
}

/** A seal is void once its turn is open again. */
function follow(state: EventState): void {
  const { sealed } = own.get();
  const turn = before?.match?.turn;
  if (sealed && sealed.turn === turn?.id && isReopened(turn, state.match?.turn)) own.set({ sealed: null });
  before = state;
}

function cheer(presses: readonly [number, number]): void {
  const { all } = own.get().cheers;
  own.set({ cheers: { all: [all[0] + presses[0], all[1] + presses[1]], latest: presses } });
  clearTimeout(calm);
  calm = window.setTimeout(() => own.set({ cheers: { ...own.get().cheers, latest: QUIET.latest } }), CHEERED_MS);
}

function obey(command: Command): void {
  sound.wake();
  const { hints, blank } = own.get();
  const event = whole(link.store.get().event);
  if (command === "away") own.set({ hints: false, blank: false });
  else if (command === "blank") own.set({ blank: !blank });
  else if (command === "full") fillScreen();
  else if (command === "sound") turnSound();
  else if (command === "hints") own.set({ hints: !hints });
  else if (event) presenter.press(orderFor(command, event, sceneAt(event, link.clock.now()).phase));
  if (own.get().hints) presenter.ask();
}

function turnSound(): void {
  sound.toggle();
  own.set({ sounds: sound.on });
}

const link = connect<DisplayMessage, ToDisplay>("/ws/display", () => ({ type: "display.join", code, key }), heard);

/** While a house is brought up to date, a gateway of before may not tell everything yet. */
function whole(event: EventState | null): EventState | null {
  return event && { ...UNTOLD, ...event };
}

const UNTOLD: Pick<EventState, "notice" | "hidden" | "best_of" | "hall"> = { notice: "", hidden: [], best_of: null, hall: false };

function Display() {
  const live = useStore(link.store);
  const told = useStore(own);
  const { welcome } = told;
  const state = whole(live.event);
  if (live.connection.state === "away" || !state || !welcome) return <Waiting code={code} connection={live.connection} />;
  const { clock } = link;
  return <Playing {...{ live, clock, look, sound, presenter, turnSound }} state={state} own={{ ...told, welcome }} />;
}

document.documentElement.dataset.bare = String(look.bare);
if (look.wood) document.documentElement.dataset.theme = "wood";
onKeys(obey);
addEventListener("pointerdown", () => sound.wake());
showPointer();
keepAwake();
link.socket.open();
render(<Guard><Display /></Guard>, document.getElementById("app")!);
