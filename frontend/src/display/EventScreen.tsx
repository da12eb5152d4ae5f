import { useEffect, useState } from "preact/hooks";
import type { ServerClock } from "../live/connection/clock";
import type { LiveState } from "../live/connection/connect";
import type { DisplayWelcomed, EventState, KeyShown } from "../protocol";
import { announcedText } from "../live/schedule";
import { showTeamColors } from "../live/teamColors";
import { judgmentText } from "./captions/analysis";
import { plainText } from "./captions/sentence";
import { captionWidth } from "./parts/Footer";
import { ShortcutHelp, PresenterMessage } from "./presenter/Hints";
import { fromHomeTeam } from "./homeScreen";
import { joinCodes } from "./scene/joinCodes";
import { footerLayout, judgmentLines, stageLift } from "./scene/layout";
import type { Presenter } from "./presenter/presenter";
import { shownTurn, type Scene } from "./scene/scene";
import type { DisplayOptions } from "./displayOptions";
import { Stage } from "./Stage";
import { ReconnectingBanner } from "./ConnectionScreens";
import { SoundControl } from "./sound/SoundControl";
import type { SoundSwitch } from "./sound/soundSwitch";
import { turnoutLevel } from "./votes/turnoutLevel";
import { isPartHidden } from "./scene/places";
import { useWitnesses } from "./scene/witnesses";
import { isBoardShrunk, useReducedMotion, useScene, useStageSize, type StageView } from "./scene/stageView";

interface Props {
  live: LiveState;
  state: EventState;
  clock: ServerClock;
  options: DisplayOptions;
  sound: SoundSwitch;
  presenter: Presenter;
  own: Pick<StageView, "notice" | "sealed" | "counts" | "cheers" | "marked"> & {
    welcome: DisplayWelcomed;
    key: KeyShown | null;
    hints: boolean;
    blank: boolean;
  };
}

/** The event's screen, and the presenter's overlays. */
export function EventScreen({ live, state: fullState, clock, options, sound, presenter, own }: Props) {
  const { state, turnout, cheers } = fromHomeTeam(options.home, { state: fullState, turnout: live.turnout, cheers: own.cheers });
  const [now] = useState(() => () => clock.now());
  const [size, reducedMotion, witnesses] = [useStageSize(), useReducedMotion(), useWitnesses(state)];
  const scene = useScene(state, now);
  const lost = live.connection.state !== "joined";
  markBody(lost, scene);
  showTeamColors(fullState);
  const shown = state.admission === "rotating" ? own.key : null;
  const codes = joinCodes(state, options.home !== null, shown ?? own.welcome);
  const { notice, sealed, counts, marked } = own;
  const lobby = scene.phase === "lobby";
  const message = isBoardShrunk(scene) ? "" : announcedText(state, now());
  const judgment = scene.match ? plainText({ state, match: scene.match }, judgmentText(scene)) : "";
  const foot = footerLayout(message, size.width, lobby, judgmentLines(judgment, captionWidth({ size, state })));
  const view: StageView = {
    state, scene, now, size, reducedMotion, witnesses, notice, sealed, counts, cheers, marked, message, foot, lift: stageLift(foot, lobby), back: options.back, home: options.home !== null, turnout, joinUrl: (shown ?? own.welcome).join_url,
  };
  const isSilent = options.preview || isPartHidden(state, "sound");
  useEffect(() => (isSilent ? sound.rest() : sound.follow(view, [turnoutLevel(view, 0), turnoutLevel(view, 1)])));
  useEffect(() => () => sound.rest(), [sound]);
  return (
    <>
      <Stage view={view} codes={codes} shown={shown}>
        {!isSilent && <SoundControl sound={sound} />}
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
  dataset.turn = String(shownTurn(scene)?.number ?? "");
  dataset.result = scene.match?.result ?? "";
}
