import { render } from "preact";
import { useState } from "preact/hooks";
import "@fontsource/barlow-condensed/latin-600.css";
import "@fontsource/barlow-condensed/latin-800.css";
import "@fontsource/barlow-condensed/latin-ext-600.css";
import "@fontsource/barlow-condensed/latin-ext-800.css";
import type { DisplayMessage, DisplayWelcomed, EventState, KeyShown, ToDisplay, TurnSealed } from "../protocol";
import { connect } from "../live/connect";
import { isReopened, laterSeal } from "../live/seals";
import type { ServerClock } from "../live/clock";
import type { Live } from "../live/event";
import { Store, useStore } from "../live/store";
import "../live/tokens.css";
import "./display.css";
import { Show } from "./Show";
import { Lost, Waiting } from "./Sign";
import { NOTICE_MS, noticeOf, type Notice } from "./notices";
import { keepAwake, onKeys, ownKey } from "./screen";
import { useCalm, useScene, useStageSize, type View } from "./view";

interface Own {
  welcome: DisplayWelcomed | null;
  key: KeyShown | null;
  sealed: TurnSealed | null;
  notice: Notice | null;
}

const code = decodeURIComponent(location.pathname.split("/")[2] ?? "").toUpperCase();
const key = ownKey(code);
const own = new Store<Own>({ welcome: null, key: null, sealed: null, notice: null });
let before: EventState | null = null;
let silence = 0;

function heard(message: ToDisplay): void {
  if (message.type === "display.welcomed") own.set({ welcome: message, key: null });
  if (message.type === "key.shown") own.set({ key: message });
  if (message.type === "turn.sealed") own.set({ sealed: laterSeal(own.get().sealed, message) });
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

const link = connect<DisplayMessage, ToDisplay>("/ws/display", () => ({ type: "display.join", code, key }), heard);

function Display() {
  const live = useStore(link.store);
  const { welcome, notice, ...told } = useStore(own);
  const size = useStageSize();
  const calm = useCalm();
  if (live.connection.state === "away" || !live.event || !welcome) return <Waiting code={code} connection={live.connection} />;
  return <Playing live={live} state={live.event} welcome={welcome} rest={{ notice, size, calm, clock: link.clock, ...told }} />;
}

interface PlayingProps {
  live: Live;
  state: EventState;
  welcome: DisplayWelcomed;
  rest: Pick<View, "notice" | "size" | "calm" | "sealed"> & { clock: ServerClock; key: KeyShown | null };
}

function Playing({ live, state, welcome, rest: { clock, key, ...rest } }: PlayingProps) {
  const [now] = useState(() => () => clock.now());
  const scene = useScene(state, now);
  const lost = live.connection.state !== "joined";
  const { body } = document;
  body.dataset.phase = lost ? "lost" : scene.phase;
  body.dataset.turn = String((scene.phase === "reveal" ? scene.reveal : scene.turn)?.number ?? "");
  body.dataset.result = scene.match?.result ?? "";
  const shown = state.admission === "rotating" ? key : null;
  const { join_url, qr } = shown ?? welcome;
  const view: View = { ...rest, state, scene, now, turnout: live.turnout, joinUrl: join_url };
  return (
    <>
      <Show view={view} qr={qr} shown={shown} />
      {lost && <Lost />}
    </>
  );
}

onKeys();
keepAwake();
link.socket.open();
render(<Display />, document.getElementById("app")!);
