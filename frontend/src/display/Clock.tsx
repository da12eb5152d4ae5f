import { useEffect, useRef } from "preact/hooks";
import { clockface } from "./clockface";
import type { View } from "./view";
import { verdict } from "./words";

const LAST_S = 5;

/** The time left, by the server's clock; it grows in the last seconds. */
export function Clock({ view }: { view: View }) {
  const { phase, leftMs } = view.scene;
  const shown = phase === "voting" || phase === "paused";
  const word = wordOf(view);
  const face = shown ? clockface(leftMs) : "";
  const last = phase === "voting" && leftMs <= LAST_S * 1000;
  const figure = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!last || view.calm) return;
    const beat = [{ transform: "scale(1.1)" }, { transform: "scale(1)" }];
    figure.current?.animate(beat, { duration: 450, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" });
  }, [face, last]);
  return (
    <div class="clock" data-last={last} data-phase={phase}>
      {shown && <span class="figure" ref={figure} role="timer">{face}</span>}
      {word && <span class="word">{word}</span>}
      {phase === "voting" && <TimeBar view={view} />}
    </div>
  );
}

/** What stands in the clock's place when no time runs. */
function wordOf({ state, scene: { phase, stage, match } }: View): string {
  if (phase === "ended" && match) return verdict(state, match).title;
  return phase === "sealed" || stage?.step === "sealed" ? "Sealed" : "";
}

function TimeBar({ view }: { view: View }) {
  const bar = useRef<HTMLElement>(null);
  const { turn, match } = view.scene;
  useEffect(() => {
    if (!turn || !match) return;
    const wait = Math.max(0, turn.opens_at - view.now());
    const left = Math.max(0, turn.closes_at - view.now() - wait);
    const share = Math.min(1, left / (match.window_s * 1000));
    const run = bar.current?.animate([{ transform: `scaleX(${share})` }, { transform: "scaleX(0)" }], {
      duration: left,
      delay: wait,
      fill: "both",
    });
    return () => run?.cancel();
  }, [turn?.id, turn?.opens_at, turn?.closes_at]);
  return <div class="bar" aria-hidden="true"><i ref={bar} /></div>;
}
