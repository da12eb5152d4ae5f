import type { Side } from "../protocol";
import { BALL } from "./geometry";

/** Enamel: lit from the upper left, darker towards the rim. Every svg with balls holds these once. */
export function EnamelDefs() {
  return (
    <defs>
      <radialGradient id="enamel-red" cx="0.36" cy="0.3" r="0.78">
        <stop offset="0" stop-color="#ff7284" />
        <stop offset="0.45" stop-color="#e8334a" />
        <stop offset="1" stop-color="#a5162c" />
      </radialGradient>
      <radialGradient id="enamel-yellow" cx="0.36" cy="0.3" r="0.78">
        <stop offset="0" stop-color="#fff0a6" />
        <stop offset="0.45" stop-color="#ffd23f" />
        <stop offset="1" stop-color="#cf9708" />
      </radialGradient>
    </defs>
  );
}

/** A side's shape, drawn around the origin for a ball of radius 44. */
export function Shape({ side }: { side: Side }) {
  if (side === "red") return <circle class="shape" r="18" fill="none" stroke="#fff4ea" stroke-width="8.5" />;
  return (
    <path class="shape" d="M0 -22 L20.5 13.5 H-20.5 Z" fill="none" stroke="#2c2000" stroke-width="8" stroke-linejoin="round" />
  );
}

/** A ball around the origin, of radius 44. */
export function Ball({ side }: { side: Side }) {
  return (
    <>
      <circle r={BALL} fill={`url(#enamel-${side})`} />
      <circle r={BALL - 5} fill="none" stroke={side === "red" ? "#7d0f22" : "#a87a05"} stroke-opacity="0.35" stroke-width="2.5" />
      <ellipse cx="-15" cy="-24" rx="13" ry="7.5" transform="rotate(-32 -15 -24)" fill="#fff" fill-opacity="0.42" />
      <Shape side={side} />
    </>
  );
}

/** A ball by itself, as a team's badge. */
export function Badge({ side }: { side: Side }) {
  return (
    <svg class="badge" viewBox="-46 -46 92 92" aria-hidden="true">
      <EnamelDefs />
      <Ball side={side} />
    </svg>
  );
}
