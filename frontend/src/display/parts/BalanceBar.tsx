import { chances, chanceText, lastAnalysis } from "../captions/analysis";
import { sideAtPlace, teamAtPlace } from "../scene/places";
import type { StageView } from "../scene/stageView";

const SHOWN = ["talk", "voting", "sealed", "paused"];

/** Both teams' winning chances after the last turn, above the footer. A mark shows where they were before it. */
export function BalanceBar({ view: { state, scene } }: { view: StageView }) {
  const { match, phase } = scene;
  const analysis = lastAnalysis(match);
  if (!analysis || !match || !SHOWN.includes(phase)) return null;
  const side = sideAtPlace(match, 0);
  const { before, after } = chances(analysis, side);
  return (
    <div class="balance" data-side={sideAtPlace(match, 1)} role="img" aria-label={chanceText(teamAtPlace(state, 0).name, after)}>
      <i data-side={side} style={{ width: `${100 * after}%` }} />
      <b style={{ left: `${100 * before}%` }} />
    </div>
  );
}
