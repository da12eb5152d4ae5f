import { t } from "../../live/i18n";
import { sidePlace } from "../scene/places";
import { isOpenVote, gridPlacement, type StageView } from "../scene/stageView";
import type { Concealed } from "../../protocol";

/** A side's secret choice: a chest on its half of the screen until both choices are revealed. */
export function ConcealedChoice({ view }: { view: StageView }) {
  const { scene, size } = view;
  const placement = gridPlacement(view);
  const hiddenChoice = concealedChoice(view);
  if (!hiddenChoice || !placement) return null;
  const width = `calc(${(size.width - placement.width) / 2 - 30} * var(--u))`;
  const opens = scene.stage?.step === "pour";
  return (
    <section class="chest" data-place={sidePlace(scene.match, hiddenChoice.side)} data-side={hiddenChoice.side} data-opens={opens} style={{ width }}>
      <svg viewBox="0 0 240 190" aria-hidden="true">
        <path class="inside" d="M22 86 H218 V112 H22 Z" />
        <g class="lid">
          <path class="wood" d="M14 92 V70 a56 52 0 0 1 56 -52 H170 a56 52 0 0 1 56 52 V92 Z" />
          <path class="band" d="M52 92 V22 q10 -4 20 -4 V92 Z M188 92 V22 q-10 -4 -20 -4 V92 Z" />
          <path class="rim" d="M14 92 V70 a56 52 0 0 1 56 -52 H170 a56 52 0 0 1 56 52 V92 Z" />
        </g>
        <path class="wood" d="M14 98 H226 V172 a12 12 0 0 1 -12 12 H26 a12 12 0 0 1 -12 -12 Z" />
        <path class="band" d="M52 98 h20 V184 h-20 Z M168 98 h20 V184 h-20 Z" />
        <path class="rim" d="M14 98 H226 V172 a12 12 0 0 1 -12 12 H26 a12 12 0 0 1 -12 -12 Z" />
        <circle class="lock" cx="120" cy="106" r="25" />
        <path class="hole" d="M120 93 a8 8 0 0 1 4 15 l3 13 h-14 l3 -13 a8 8 0 0 1 4 -15 Z" />
      </svg>
      <p>{opens ? t("Opening now") : t("Chosen in secret")}</p>
    </section>
  );
}

function concealedChoice({ scene }: StageView): Concealed | null {
  const { phase, match, reveal, stage } = scene;
  if (phase === "reveal") return stage?.step === "sealed" || stage?.step === "pour" ? (reveal?.concealed ?? null) : null;
  return isOpenVote(scene) || phase === "talk" ? (match?.concealed ?? null) : null;
}
