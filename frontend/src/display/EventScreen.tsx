import { useState } from "preact/hooks";
import type { ServerClock } from "../live/connection/clock";
import type { LiveState } from "../live/state/liveState";
import type { DisplayWelcomed, EventState, KeyShown } from "../protocol";
import { useSoundCues } from "./reveal/soundCues";
import { ShortcutHelp, PresenterMessage } from "./presenter/Hints";
import { fromHomeTeam } from "./homeScreen";
import { joinCodes } from "./scene/joinCodes";
import { footerLayout, stageLift } from "./scene/layout";
import type { Presenter } from "./presenter/presenter";
import type { Scene } from "./scene/scene";
import type { DisplayOptions } from "./displayOptions";
import { Stage } from "./Stage";
import { ReconnectingBanner } from "./ConnectionScreens";
import type { Sound } from "./reveal/sound";
import { isBoardShrunk, useReducedMotion, useScene, useStageSize, type StageView } from "./scene/stageView";

interface Props {
  live: LiveState;
  state: EventState;
  clock: ServerClock;
  options: DisplayOptions;
  sound: Sound;
  presenter: Presenter;
  turnSound: () => void;
  own: Pick<StageView, "notice" | "sealed" | "counts" | "cheers" | "marked"> & {
    welcome: DisplayWelcomed;
    key: KeyShown | null;
    hints: boolean;
    blank: boolean;
    sounds: boolean;
  };
}

/** The event's screen, and the presenter's overlays. */
export function EventScreen({ live, state: fullState, clock, options, sound, presenter, turnSound, own }: Props) {
  const { state, turnout, cheers } = fromHomeTeam(options.home, { state: fullState, turnout: live.turnout, cheers: own.cheers });
  const [now] = useState(() => () => clock.now());
  const [size, reducedMotion] = [useStageSize(), useReducedMotion()];
  const scene = useScene(state, now);
  const lost = live.connection.state !== "joined";
  markBody(lost, scene);
  const shown = state.admission === "rotating" ? own.key : null;
  const codes = joinCodes(state, options.home !== null, shown ?? own.welcome);
  const { notice, sealed, counts, marked } = own;
  const lobby = scene.phase === "lobby";
  const foot = footerLayout(isBoardShrunk(scene) ? "" : state.notice, size.width, lobby);
  const view: StageView = {
    state, scene, now, size, reducedMotion, notice, sealed, counts, cheers, marked, foot, lift: stageLift(foot, lobby), back: options.back, home: options.home !== null, turnout, joinUrl: (shown ?? own.welcome).join_url,
  };
  useSoundCues(view, sound);
  return (
    <>
      <Stage view={view} codes={codes} shown={shown}>
        <button class="sound" type="button" tabIndex={-1} aria-pressed={own.sounds} onClick={turnSound}><Speaker on={own.sounds} /></button>
      </Stage>
      {own.hints && <ShortcutHelp presenter={presenter} />}
      {own.blank && <div class="blank" />}
      <PresenterMessage presenter={presenter} foot={foot.noticeHeight + foot.footerHeight} />
      {lost && <ReconnectingBanner />}
    </>
  );
}

/** Attributes on the body for the style sheet and the tests. */
function markBody(lost: boolean, scene: Scene): void {
  const { dataset } = document.body;
  dataset.phase = lost ? "lost" : scene.phase;
  dataset.turn = String((scene.phase === "reveal" ? scene.reveal : scene.turn)?.number ?? "");
  dataset.result = scene.match?.result ?? "";
}

/** The icon of the sound button. */
function Speaker({ on }: { on: boolean }) {
  return (
    <svg viewBox="0 0 48 48" role="img" aria-label={on ? "Sound is on" : "Sound is off"}>
      <path d="M6 18 h8 l12 -10 v32 l-12 -10 h-8 Z" />
      <path class="waves" d={on ? "M32 17 q6 7 0 14 M37 12 q11 12 0 24" : "M32 18 l12 12 M44 18 l-12 12"} />
    </svg>
  );
}
