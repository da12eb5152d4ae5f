import { useState } from "preact/hooks";
import type { ServerClock } from "../live/clock";
import type { Live } from "../live/event";
import type { DisplayWelcomed, EventState, KeyShown } from "../protocol";
import { useCues } from "./cues";
import { Hints, Said } from "./Hints";
import { seenFrom } from "./home";
import { footOf, liftOf } from "./layout";
import type { Presenter } from "./presenter";
import type { Scene } from "./scene";
import type { Look } from "./screen";
import { Show } from "./Show";
import { Lost } from "./Sign";
import type { Sound } from "./sound";
import { isBack, useCalm, useScene, useStageSize, type View } from "./view";

interface Props {
  live: Live;
  state: EventState;
  clock: ServerClock;
  look: Look;
  sound: Sound;
  presenter: Presenter;
  turnSound: () => void;
  own: Pick<View, "notice" | "sealed" | "counts" | "cheers"> & {
    welcome: DisplayWelcomed;
    key: KeyShown | null;
    hints: boolean;
    blank: boolean;
    sounds: boolean;
  };
}

/** The event on the screen, and what is laid over it for whoever presents. */
export function Playing({ live, state: told, clock, look, sound, presenter, turnSound, own }: Props) {
  const { state, turnout, cheers } = seenFrom(look.home, { state: told, turnout: live.turnout, cheers: own.cheers });
  const [now] = useState(() => () => clock.now());
  const [size, calm] = [useStageSize(), useCalm()];
  const scene = useScene(state, now);
  const lost = live.connection.state !== "joined";
  say(lost, scene);
  const shown = state.admission === "rotating" ? own.key : null;
  const { join_url, qr } = shown ?? own.welcome;
  const { notice, sealed, counts } = own;
  const lobby = scene.phase === "lobby";
  const foot = footOf(isBack(scene) ? "" : state.notice, size.width, lobby);
  const view: View = {
    state, scene, now, size, calm, notice, sealed, counts, cheers, foot, lift: liftOf(foot, lobby), back: look.back, home: look.home !== null, turnout, joinUrl: join_url,
  };
  useCues(view, sound);
  return (
    <>
      <Show view={view} qr={qr} shown={shown}>
        <button class="sound" type="button" tabIndex={-1} aria-pressed={own.sounds} onClick={turnSound}><Speaker on={own.sounds} /></button>
      </Show>
      {own.hints && <Hints presenter={presenter} />}
      {own.blank && <div class="blank" />}
      <Said presenter={presenter} foot={foot.plank + foot.line} />
      {lost && <Lost />}
    </>
  );
}

/** What tests and styles go by. */
function say(lost: boolean, scene: Scene): void {
  const { dataset } = document.body;
  dataset.phase = lost ? "lost" : scene.phase;
  dataset.turn = String((scene.phase === "reveal" ? scene.reveal : scene.turn)?.number ?? "");
  dataset.result = scene.match?.result ?? "";
}

function Speaker({ on }: { on: boolean }) {
  return (
    <svg viewBox="0 0 48 48" role="img" aria-label={on ? "Sound is on" : "Sound is off"}>
      <path d="M6 18 h8 l12 -10 v32 l-12 -10 h-8 Z" />
      <path class="waves" d={on ? "M32 17 q6 7 0 14 M37 12 q11 12 0 24" : "M32 18 l12 12 M44 18 l-12 12"} />
    </svg>
  );
}
