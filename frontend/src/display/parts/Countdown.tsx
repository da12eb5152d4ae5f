import { useEffect, useRef } from "preact/hooks";
import { p } from "../../live/i18n";
import { countdownText } from "../scene/countdownText";
import { BESIDE_CLOCK, fitFontSize } from "../scene/layout";
import type { StageView } from "../scene/stageView";

const LAST_S = 5;
const [WORD, LEAST, GAP] = [164, 54.5, 20];
/** Longer texts, such as hours in some languages, are smaller. */
const USUAL_LENGTH = 5;
const SHOWN = ["talk", "voting"];

/** The countdown, by the server's clock, until the vote closes or opens. In the last seconds it grows and lights up the stage. */
export function Countdown({ view }: { view: StageView }) {
  const { phase, leftMs } = view.scene;
  const shown = SHOWN.includes(phase);
  const word = countdownWord(view);
  const text = shown ? countdownText(leftMs) : "";
  const last = phase === "voting" && leftMs <= LAST_S * 1000;
  const figure = useRef<HTMLSpanElement>(null);
  const light = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!last || view.reducedMotion) return;
    const pulse = [{ transform: "scale(0.88)" }, { transform: "scale(1)" }];
    figure.current?.animate(pulse, { duration: 450, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" });
    light.current?.animate([{ opacity: 0.5 }, { opacity: 0.16 }], { duration: 900, easing: "ease-out" });
  }, [text, last]);
  return (
    <div class="clock" data-last={last} data-phase={phase}>
      {last && <i class="light" ref={light} aria-hidden="true" />}
      {shown && <span class="figure" style={text.length > USUAL_LENGTH ? { fontSize: fontSize(text, WORD) } : {}} ref={figure} role="timer">{text}</span>}
      {word && <span class="word" style={{ fontSize: fontSize(word, WORD) }}>{word}</span>}
      {(phase === "voting" || phase === "talk") && <CountdownBar view={view} />}
    </div>
  );
}

/** The font size for a text in the clock's place, between the team headers. */
function fontSize(text: string, largest: number): string {
  return `calc(${fitFontSize(text, 2 * BESIDE_CLOCK.wide - GAP, largest, LEAST)} * var(--u))`;
}

/** The text in the clock's place while no time runs. */
function countdownWord(view: StageView): string {
  const { phase, stage } = view.scene;
  if (phase === "paused") return p("match", "Paused");
  return phase === "sealed" || stage?.step === "sealed" ? p("votes", "Sealed") : "";
}

/** Fills during the discussion and drains during the vote. */
function CountdownBar({ view }: { view: StageView }) {
  const bar = useRef<HTMLElement>(null);
  const { turn, match, phase } = view.scene;
  const talk = phase === "talk";
  useEffect(() => {
    if (!turn || !match) return;
    const wait = Math.max(0, turn.opens_at - view.now());
    const run = talk ? filling(bar.current, wait, match.talk_s * 1000) : runningOut(bar.current, wait, view, match.window_s * 1000);
    return () => run?.cancel();
  }, [turn?.id, turn?.opens_at, turn?.closes_at, talk]);
  return <div class="bar" aria-hidden="true"><i ref={bar} /></div>;
}

function filling(bar: HTMLElement | null, left: number, whole: number) {
  const share = 1 - Math.min(1, left / whole);
  return bar?.animate([{ transform: `scaleX(${share})` }, { transform: "scaleX(1)" }], { duration: left, fill: "both" });
}

function runningOut(bar: HTMLElement | null, wait: number, { scene, now }: StageView, whole: number) {
  const left = Math.max(0, (scene.turn?.closes_at ?? 0) - now() - wait);
  const share = Math.min(1, left / whole);
  const frames = [{ transform: `scaleX(${share})` }, { transform: "scaleX(0)" }];
  return bar?.animate(frames, { duration: left, delay: wait, fill: "both" });
}
