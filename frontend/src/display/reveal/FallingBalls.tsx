import type { Drop } from "../../protocol";
import { Ball, BallGradients } from "../../board/Ball";
import { BALL, centerY, columnX } from "../../board/geometry";
import { fall, easeInOut, easeOut } from "./motion";
import { framesDuring, useRevealAnimation, type RevealFrame } from "./revealAnimation";
import { choosing, dropSpan, lowering, replayDropSpan, type Span } from "../scene/timeline";
import { distributionBars, waitingHeight, type Bar } from "./distribution";
import { isPartHidden } from "../scene/places";
import type { StageView } from "../scene/stageView";

const OVER_RIM = -BALL - 8;
const ROLLS_OFF = 0.55;
const BOX = 46;
const STEPS = 28;

/** The drop animation: the picks hang over their columns as balls, then fall in the resolution's order. */
export function FallingBalls({ view }: { view: StageView }) {
  const { reveal } = view.scene;
  return <>{reveal?.resolution.drops.map((drop, index) => <FallingBall key={drop.side} view={view} drop={drop} index={index} />)}</>;
}

function FallingBall({ view, drop, index }: { view: StageView; drop: Drop; index: number }) {
  const ball = useRevealAnimation<SVGSVGElement>(view, fallingFrames(view, drop, index));
  return (
    <svg class="falling" viewBox={`${-BOX} ${-BOX} ${2 * BOX} ${2 * BOX}`} ref={ball} aria-hidden="true">
      <BallGradients />
      <Ball side={drop.side} />
    </svg>
  );
}

function fallingFrames(view: StageView, drop: Drop, index: number): RevealFrame[] {
  const { scene, reducedMotion } = view;
  const pose = ballPose(view, drop, index);
  const { plan } = scene;
  if (!plan || !pose) return [];
  const lowers = lowering(plan);
  const way = (span: Span) => framesDuring(span, reducedMotion, STEPS, (t) => pose(1, t, lowers ? 1 : 0));
  return [
    { at: 0, ...pose(0, 0) },
    ...framesDuring(choosing(plan), reducedMotion, 6, (t) => pose(easeOut(t), 0)),
    ...(lowers ? framesDuring(lowers, reducedMotion, 12, (t) => pose(1, 0, easeInOut(t))) : []),
    ...way(dropSpan(plan, index)),
    ...(plan.replay === "conflict" ? [{ at: replayDropSpan(plan, 0)[0], ...pose(1, 0, 1) }, ...way(replayDropSpan(plan, index))] : []),
    { at: 1, ...pose(1, 1) },
  ];
}

/**
 * A falling ball's pose. It waits over its column's bars, and comes down to the rim before it falls (`lowered`). In a
 * conflict the second ball waits above the first; a ball without room rolls off.
 */
function ballPose(view: StageView, { column, row }: Drop, index: number) {
  const { scene, back, size } = view;
  const { match, reveal } = scene;
  if (!match || !reveal) return null;
  const { rows } = match.board;
  const stacked = reveal.resolution.conflict !== null ? index : 0;
  const from = OVER_RIM - stacked * (2 * BALL + 4);
  const to = row === null ? OVER_RIM + 6 : centerY(row, rows);
  const x = columnX(column, match.board, back);
  const over = isPartHidden(view.state, "tally") ? 0 : waitingHeight(barsOfPicks(view), column);
  return (grown: number, progress: number, lowered = 0): Omit<RevealFrame, "at"> => {
    const start = from - over * (1 - lowered);
    const y = start + (to - start) * fall(progress, to - from, centerY(1, rows) - OVER_RIM);
    const gone = row === null ? Math.max(0, (progress - ROLLS_OFF) / (1 - ROLLS_OFF)) : 0;
    const px = (length: number) => `${((length - BOX) * size.unit).toFixed(2)}px`;
    return { transform: `translate(${px(x + gone * gone * 130)}, ${px(y + gone * gone * 40)}) scale(${grown.toFixed(3)})`, opacity: 1 - gone };
  };
}

/** The bars as they are while the balls wait over them. */
function barsOfPicks(view: StageView): Bar[] {
  const { scene } = view;
  return scene.stage ? distributionBars({ ...view, scene: { ...scene, stage: { ...scene.stage, step: "picks" } } }) : [];
}
