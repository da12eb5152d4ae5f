import { render } from "preact";
import { useState } from "preact/hooks";
import "@fontsource/barlow-condensed/latin-600.css";
import "@fontsource/barlow-condensed/latin-800.css";
import "@fontsource/barlow-condensed/latin-ext-600.css";
import "@fontsource/barlow-condensed/latin-ext-800.css";
import type { DisplayMessage, DisplayWelcomed, EventState, ToDisplay } from "../protocol";
import { connect } from "../live/connect";
import type { ServerClock } from "../live/clock";
import type { Live } from "../live/event";
import { Store, useStore } from "../live/store";
import "../live/tokens.css";
import "./display.css";
import { Show } from "./Show";
import { Lost, Waiting } from "./Sign";
import { NOTICE_MS, noticeOf, type Notice } from "./notices";
import { keepAwake, onKeys } from "./screen";
import { useCalm, useScene, useStageSize, type View } from "./view";

interface Own {
  welcome: DisplayWelcomed | null;
  notice: Notice | null;
}

const code = decodeURIComponent(location.pathname.split("/")[2] ?? "").toUpperCase();
const own = new Store<Own>({ welcome: null, notice: null });
let before: EventState | null = null;
let silence = 0;

function heard(message: ToDisplay): void {
  if (message.type === "display.welcomed") own.set({ welcome: message });
  const notice = noticeOf(message, before);
  if ("state" in message) before = message.state;
  if (notice === null) return;
  own.set({ notice });
  clearTimeout(silence);
  silence = window.setTimeout(() => own.set({ notice: null }), NOTICE_MS);
}

const link = connect<DisplayMessage, ToDisplay>("/ws/display", () => ({ type: "display.join", code }), heard);

function Display() {
  const live = useStore(link.store);
  const { welcome, notice } = useStore(own);
  const size = useStageSize();
  const calm = useCalm();
  if (live.connection.state === "away" || !live.event || !welcome) return <Waiting code={code} connection={live.connection} />;
  return <Playing live={live} state={live.event} welcome={welcome} rest={{ notice, size, calm, clock: link.clock }} />;
}

interface PlayingProps {
  live: Live;
  state: EventState;
  welcome: DisplayWelcomed;
  rest: Pick<View, "notice" | "size" | "calm"> & { clock: ServerClock };
}

function Playing({ live, state, welcome, rest: { clock, ...rest } }: PlayingProps) {
  const [now] = useState(() => () => clock.now());
  const scene = useScene(state, now);
  const lost = live.connection.state !== "joined";
  const { body } = document;
  body.dataset.phase = lost ? "lost" : scene.phase;
  body.dataset.turn = String((scene.phase === "reveal" ? scene.reveal : scene.turn)?.number ?? "");
  body.dataset.result = scene.match?.result ?? "";
  const view: View = { ...rest, state, scene, now, turnout: live.turnout, joinUrl: welcome.join_url };
  return (
    <>
      <Show view={view} qr={welcome.qr} />
      {lost && <Lost />}
    </>
  );
}

onKeys();
keepAwake();
link.socket.open();
render(<Display />, document.getElementById("app")!);
