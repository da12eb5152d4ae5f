import { t } from "../../live/i18n";
import { chanceFigure, chances } from "../../live/match/verdict";
import { chanceText, judgedTurn, lastAnalysis } from "../captions/analysis";
import { sideAtPlace, teamAtPlace } from "../scene/places";
import type { StageView } from "../scene/stageView";

const SHOWN = ["talk", "voting", "sealed", "paused"];

/**
 * Both teams' winning chances along the top of the footer. A mark shows where they were before the turn. Beside the
 * sentence about the turn they are labeled, and swing from there.
 */
export function BalanceBar({ view: { state, scene, foot } }: { view: StageView }) {
  const { match, phase } = scene;
  const judged = judgedTurn(scene);
  const shown = judged ?? (SHOWN.includes(phase) ? lastAnalysis(match) : null);
  if (!shown || !match || foot.footerHeight === 0) return null;
  const side = sideAtPlace(match, 0);
  const { margin } = shown;
  const { before, after } = chances(shown, side);
  return (
    <div class="chances" data-labeled={judged !== null} style={{ "--before": `${100 * before}%`, "--after": `${100 * after}%` }}>
      {judged && <><span>{t("Winning chance")}</span><b class="figure" data-side={side}>{chanceFigure(after, margin)}</b></>}
      <div class="balance" data-side={sideAtPlace(match, 1)} role="img" aria-label={chanceText(teamAtPlace(state, 0).name, after, margin)}>
        <i key={`${match.reveal?.turn} ${before}`} data-side={side} />
        <b />
      </div>
      {judged && <b class="figure" data-side={sideAtPlace(match, 1)}>{chanceFigure(1 - after, margin)}</b>}
    </div>
  );
}
