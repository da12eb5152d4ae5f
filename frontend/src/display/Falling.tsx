import { useRef } from "preact/hooks";
import type { Drop, Resolution } from "../protocol";
import { Ball } from "../board/Ball";
import { BALL, centreX, centreY } from "../board/geometry";
import { fall, settle } from "./motion";
import type { Stage } from "./timeline";
import { useReveal, type View } from "./view";

const OVER_RIM = -BALL - 8;
const ROLLS_OFF = 0.55;

/** The picks as balls: they hang over their columns, then drop in the resolution's order. */
export function Falling({ view }: { view: View }) {
  const group = useRef<SVGGElement>(null);
  const { reveal, match } = view.scene;
  const rows = match?.board.rows ?? 0;
  useReveal(view, ["picks", "drops", "second", "token"], (stage) => {
    reveal?.resolution.drops.forEach((drop, index) => put(group.current?.children[index], pose(drop, index, stage, reveal.resolution, rows)));
  });
  if (!reveal) return null;
  return (
    <g ref={group}>
      {reveal.resolution.drops.map((drop) => <g key={drop.side}><Ball side={drop.side} /></g>)}
    </g>
  );
}

interface Pose {
  x: number;
  y: number;
  size: number;
  opacity: number;
}

function put(element: Element | undefined, { x, y, size, opacity }: Pose) {
  element?.setAttribute("transform", `translate(${x} ${y}) scale(${size})`);
  element?.setAttribute("opacity", `${opacity}`);
}

/** Where a ball is: in a conflict the second one hangs on top of the first. */
export function pose(drop: Drop, index: number, stage: Stage, resolution: Resolution, rows: number): Pose {
  const stacked = resolution.conflict !== null ? index : 0;
  const from = OVER_RIM - stacked * (2 * BALL + 4);
  const to = drop.row === null ? OVER_RIM + 6 : centreY(drop.row, rows);
  const progress = stage.dropped[index] ?? 0;
  const y = from + (to - from) * fall(progress, to - from, centreY(1, rows) - OVER_RIM);
  const gone = drop.row === null ? Math.max(0, (progress - ROLLS_OFF) / (1 - ROLLS_OFF)) : 0;
  return { x: centreX(drop.column) + gone * gone * 130, y: y + gone * gone * 40, size: settle(stage.chosen), opacity: 1 - gone };
}
