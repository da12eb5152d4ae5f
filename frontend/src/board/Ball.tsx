import type { Side } from "../protocol";
import { BALL } from "./geometry";
import "./board.css";

const SIDES: readonly Side[] = ["red", "yellow"];

/**
 * SVG gradients of the balls: lit from the upper left, darker at the rim, in the theme's colors. Include them once in
 * every SVG that draws balls.
 */
export function BallGradients() {
  return (
    <defs>
      {SIDES.map((side) => (
        <radialGradient key={side} id={`enamel-${side}`} class="enamel" data-ball={side} cx="0.36" cy="0.3" r="0.78">
          <stop offset="0" />
          <stop offset="0.45" />
          <stop offset="1" />
        </radialGradient>
      ))}
    </defs>
  );
}

/** A side's shape, centered on the origin, for a ball of radius 44. */
export function Shape({ side }: { side: Side }) {
  if (side === "red") return <circle class="shape" r="18" fill="none" stroke="#fff4ea" stroke-width="8.5" />;
  return (
    <path class="shape" d="M0 -22 L20.5 13.5 H-20.5 Z" fill="none" stroke="#2c2000" stroke-width="8" stroke-linejoin="round" />
  );
}

/** A ball of radius 44, centered on the origin. */
export function Ball({ side }: { side: Side }) {
  return (
    <>
      <circle r={BALL} fill={`url(#enamel-${side})`} />
      <g class="grain" data-ball={side}>
        <path d="M-40 -12 Q-6 -26 41 -8 M-43 6 Q0 -10 43 12 M-38 22 Q4 6 37 25 M-24 36 Q2 26 26 36 M-28 -32 Q2 -40 30 -30" />
      </g>
      <circle class="ball-rim" data-ball={side} r={BALL - 5} fill="none" stroke-width="2.5" />
      <ellipse class="gleam" cx="-15" cy="-24" rx="13" ry="7.5" transform="rotate(-32 -15 -24)" fill="#fff" fill-opacity="0.42" />
      <Shape side={side} />
    </>
  );
}

/** A single ball as a team's badge, in an SVG of its own. */
export function Badge({ side }: { side: Side }) {
  return (
    <svg class="badge" viewBox="-46 -46 92 92" aria-hidden="true">
      <BallGradients />
      <Ball side={side} />
    </svg>
  );
}
