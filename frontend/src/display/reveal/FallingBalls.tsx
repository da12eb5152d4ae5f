import type { Drop } from "../../protocol";
import { Ball, BallGradients } from "../../board/Ball";
import { BALL, centerY, columnX } from "../../board/geometry";
import { fall, easeOut } from "./motion";
import { framesDuring, useRevealAnimation, type RevealFrame } from "./revealAnimation";
import { choosing, dropSpan, replayDropSpan, type Span } from "../scene/timeline";
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
  const way = (span: Span) => framesDuring(span, reducedMotion, STEPS, (t) => pose(1, t));
  return [
    { at: 0, ...pose(0, 0) },
    ...framesDuring(choosing(plan), reducedMotion, 6, (t) => pose(easeOut(t), 0)),
    ...way(dropSpan(plan, index)),
    ...(plan.replay === "conflict" ? [{ at: replayDropSpan(plan, 0)[0], ...pose(1, 0) }, ...way(replayDropSpan(plan, index))] : []),
    { at: 1, ...pose(1, 1) },
  ];
}

/** A falling ball's pose. In a conflict the second ball waits above the first; a ball without room rolls off. */
function ballPose({ scene, back, size }: StageView, { column, row }: Drop, index: number) {
  const { match, reveal } = scene;
  if (!match || !reveal) return null;
  const { rows } = match.board;
  const stacked = reveal.resolution.conflict !== null ? index : 0;
  const from = OVER_RIM - stacked * (2 * BALL + 4);
  const to = row === null ? OVER_RIM + 6 : centerY(row, rows);
  const x = columnX(column, match.board, back);
  return (grown: number, progress: number): Omit<RevealFrame, "at"> => {
    const y = from + (to - from) * fall(progress, to - from, centerY(1, rows) - OVER_RIM);
    const gone = row === null ? Math.max(0, (progress - ROLLS_OFF) / (1 - ROLLS_OFF)) : 0;
    const px = (length: number) => `${((length - BOX) * size.unit).toFixed(2)}px`;
    return { transform: `translate(${px(x + gone * gone * 130)}, ${px(y + gone * gone * 40)}) scale(${grown.toFixed(3)})`, opacity: 1 - gone };
  };
}
