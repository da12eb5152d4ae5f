import { useEffect, useState } from "preact/hooks";
import type { StageView } from "../scene/stageView";
import { fitTwoLines } from "../scene/layout";
import { DemonstrationBoard } from "./DemonstrationBoard";
import { SpecialRules } from "./SpecialRules";
import { demonstrationSteps, loopMoment, untilNextMoment, type DemonstrationStep, type LoopMoment } from "./demonstration";
import "./introduction.css";

const CAPTION = { largest: 68, least: 56 };

/** Explains the game before its first match, in a loop: one turn for each rule, then the special rules. */
export function Introduction({ view, width }: { view: StageView; width: number }) {
  const { step, rules, since } = useLoop(view);
  const captions = demonstrationSteps(view.state).flatMap((one) => one.captions);
  const shown = step && captionAt(step, since);
  return (
    <section class="introduction">
      {step ? <DemonstrationBoard key={step.board.grid.join()} step={step} since={since} reducedMotion={view.reducedMotion} /> : <SpecialRules rules={rules} />}
      <div class="captions" style={{ fontSize: `calc(${captionSize(captions, width)} * var(--u))` }}>
        {captions.map((caption) => <p key={caption.text} data-shown={caption === shown}>{caption.text}</p>)}
      </div>
    </section>
  );
}

function captionAt({ captions }: DemonstrationStep, since: number) {
  return [...captions].reverse().find(({ at }) => at <= since);
}

/** One size for all captions, so that nothing moves between them. */
function captionSize(captions: DemonstrationStep["captions"], width: number): number {
  return Math.min(...captions.map(({ text }) => fitTwoLines(text, width, CAPTION.largest, CAPTION.least)));
}

/** The loop's moment; renders again exactly when it changes. */
function useLoop({ state, now }: StageView): LoopMoment {
  const [, again] = useState(0);
  const moment = loopMoment(state, now());
  useEffect(() => {
    const timer = setTimeout(() => again((n) => n + 1), untilNextMoment(moment) + 2);
    return () => clearTimeout(timer);
  });
  return moment;
}
