import { render } from "preact";
import "@fontsource/barlow-condensed/600.css";
import "@fontsource/barlow-condensed/800.css";
import type { DisplayMessage, DisplayWelcomed, EventState, KeyShown, TeamCounted, ToDisplay, TurnSealed } from "../protocol";
import { pageAgeMs } from "../live/connection/clock";
import { watchClock } from "../live/connection/clockWatch";
import { connect } from "../live/connection/connect";
import { LANGUAGE } from "../live/i18n";
import { withReadableReveal } from "../live/match/lateReveal";
import { bindingSeal, reopening } from "../live/match/seals";
import { Store, useStore } from "../live/state/useStore";
import { keepScreenAwake } from "../live/wakeLock";
import "../live/tokens.css";
import "../../../crowdgame/static/tokens/team_colors.css";
import "./display.css";
import { EventScreen } from "./EventScreen";
import { ErrorBoundary, WaitingScreen } from "./ConnectionScreens";
import { keyCommand, listenForCommands, type KeyCommand } from "./presenter/keyCommands";
import { NOTICE_MS, changeNotice, type ChangeNotice } from "./captions/changeNotices";
import { presenterAction } from "./presenter/presenterActions";
import { Presenter } from "./presenter/presenter";
import { isPartHidden } from "./scene/places";
import { sceneAt } from "./scene/scene";
import { autoHidePointer, readDisplayKey, readDisplayOptions, showPointer, toggleFullscreen } from "./displayOptions";
import { wakeOnGestures } from "./sound/SoundControl";
import { SoundSwitch } from "./sound/soundSwitch";
import { withDrop, type MarkedDrop } from "./particles/dropMarks";
import type { Cheers } from "./scene/stageView";

interface Own {
  welcome: DisplayWelcomed | null;
  key: KeyShown | null;
  sealed: TurnSealed | null;
  counts: TeamCounted | null;
  notice: ChangeNotice | null;
  cheers: Cheers;
  marked: readonly MarkedDrop[];
  hints: boolean;
  blank: boolean;
}

const CHEERS_SHOWN_MS = 1600;
const NO_CHEERS: Cheers = { all: [0, 0], latest: [0, 0] };

const code = decodeURIComponent(location.pathname.split("/")[2] ?? "").toUpperCase();
const key = readDisplayKey(code);
const options = readDisplayOptions(location.search);
const sound = new SoundSwitch();
const presenter = new Presenter(code);
const preload = JSON.parse(document.getElementById("preload")?.textContent ?? "null") as DisplayWelcomed | null;
const own = new Store<Own>({
  welcome: null, key: null, sealed: null, counts: null, notice: null, cheers: NO_CHEERS, marked: [], hints: false, blank: false,
});
let before: EventState | null = null;
let noticeTimer = 0;
let cheersTimer = 0;

function onMessage(message: ToDisplay): void {
  if ("state" in message) Object.assign(message.state, withReadableReveal(message.state, before, link.clock.now()));
  if (message.type === "display.welcomed") own.set({ welcome: withTeamQrs(message), key: null });
  if (message.type === "key.shown") own.set({ key: withTeamQrs(message) });
  if (message.type === "turn.sealed") own.set({ sealed: bindingSeal(own.get().sealed, message) });
  if (message.type === "team.counted") own.set({ counts: message });
  if (message.type === "cheers.counted") cheer(message.presses);
  if (message.type === "drop.shown") own.set({ marked: withDrop(own.get().marked, { ...message, at: link.clock.now() }) });
  const notice = changeNotice(message, before);
  if ("state" in message) {
    follow(message.state);
    reloadInLanguage(message.state.language);
  }
  if (notice === null) return;
  own.set({ notice });
  clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => own.set({ notice: null }), NOTICE_MS);
}

/** Draws the state at the page's request until the socket's first message, seconds later on a slow network. */
function show(welcome: DisplayWelcomed): void {
  link.clock.estimate(welcome.now_at + pageAgeMs());
  link.store.set({ event: welcome.state, seq: welcome.seq, change: "welcomed" });
  onMessage(welcome);
}

/** A seal is void once its turn is reopened. */
function follow(state: EventState): void {
  const { sealed } = own.get();
  const turn = before?.match?.turn;
  if (sealed && reopening(sealed, turn?.closes_at ?? 0, state.match?.turn)) own.set({ sealed: null });
  if (state.sound_on && !before?.sound_on) sound.turnOn();
  before = state;
}

/** A page is in one language. Gateways of the previous version send none. */
function reloadInLanguage(language: string | undefined): void {
  const asked = new URLSearchParams(location.search);
  if (!language || language === LANGUAGE || language === asked.get("locale")) return;
  asked.set("locale", language);
  location.replace(`${location.pathname}?${asked}`);
}

function cheer(presses: readonly [number, number]): void {
  const { all } = own.get().cheers;
  own.set({ cheers: { all: [all[0] + presses[0], all[1] + presses[1]], latest: presses } });
  clearTimeout(cheersTimer);
  cheersTimer = window.setTimeout(() => own.set({ cheers: { ...own.get().cheers, latest: NO_CHEERS.latest } }), CHEERS_SHOWN_MS);
}

function runCommand(command: KeyCommand): void {
  const { hints, blank } = own.get();
  const [event, now] = [withDefaults(link.store.get().event), link.clock.now()];
  if (command === "away") own.set({ hints: false, blank: false });
  else if (command === "blank") own.set({ blank: !blank });
  else if (command === "full") toggleFullscreen();
  else if (command === "sound") turnSound(event);
  else if (command === "hints") own.set({ hints: !hints });
  else if (event) presenter.press(presenterAction(command, event, sceneAt(event, now).phase, now));
  if (own.get().hints) presenter.ask();
}

/** Shows the control for some seconds. Does nothing while the organizer has turned the sound off everywhere. */
function turnSound(event: EventState | null): void {
  if (event && isPartHidden(event, "sound")) return;
  sound.toggle();
  showPointer();
}

const link = connect<DisplayMessage, ToDisplay>("/ws/display", () => ({ type: "display.join", code, key, preview: options.preview }), onMessage);

/** Defaults for fields that a gateway of the previous version does not send during a rolling upgrade. */
function withDefaults(event: EventState | null): EventState | null {
  return event && { ...EVENT_DEFAULTS, ...event };
}

/** Without the teams' codes, each team gets the event's. Its page lets voters choose a team. */
function withTeamQrs<M extends DisplayWelcomed | KeyShown>(message: M): M {
  return { ...message, team_qrs: message.team_qrs ?? [message.qr, message.qr] };
}

const EVENT_DEFAULTS: Pick<EventState, "notice" | "hidden" | "best_of" | "is_duel" | "game" | "special_rules"> = { notice: "", hidden: [], best_of: null, is_duel: false, game: "", special_rules: [] };

function Display() {
  const live = useStore(link.store);
  const ownState = useStore(own);
  const { welcome } = ownState;
  const state = withDefaults(live.event);
  if (live.connection.state === "away" || !state || !welcome) return <WaitingScreen code={code} connection={live.connection} />;
  const { clock } = link;
  return <EventScreen {...{ live, clock, options, sound, presenter }} state={state} own={{ ...ownState, welcome }} />;
}

document.documentElement.dataset.bare = String(options.bare);
if (options.wood) document.documentElement.dataset.theme = "wood";
if (!options.preview) {
  listenForCommands(runCommand);
  wakeOnGestures(sound, (key) => keyCommand(key) === "sound");
  autoHidePointer();
  keepScreenAwake();
}
if (preload) show(preload);
watchClock(() => link.socket.probe());
link.socket.open();
render(<ErrorBoundary><Display /></ErrorBoundary>, document.getElementById("app")!);
