import type { Side } from "../protocol";

const PATHS = { red: "M50 8a42 42 0 1 1-.01 0z", yellow: "M50 9 96 89H4z" };

/** The side's shape as an outline; `left` (0 to 1) is how much of it is drawn in full, the rest is faint. */
export function Shape({ side, left = 1 }: { side: Side; left?: number }) {
  return (
    <svg class="shape" viewBox="0 0 100 100" aria-hidden="true">
      <path class={left < 1 ? "faint" : ""} d={PATHS[side]} />
      {left < 1 && <path class="left" d={PATHS[side]} pathLength={1} style={{ strokeDashoffset: 1 - left }} />}
    </svg>
  );
}

/** Drawn once a page, used by every board: enamelled balls, lit from the upper left. */
export function Enamel() {
  return (
    <svg class="defs" aria-hidden="true">
      <defs>
        <radialGradient id="lit-red" cx=".36" cy=".3" r=".8">
          <stop offset="0" stop-color="#ff7b8a" />
          <stop offset=".5" stop-color="#e8334a" />
          <stop offset="1" stop-color="#a3172c" />
        </radialGradient>
        <radialGradient id="lit-yellow" cx=".36" cy=".3" r=".8">
          <stop offset="0" stop-color="#fff0a6" />
          <stop offset=".5" stop-color="#ffd23f" />
          <stop offset="1" stop-color="#c98f08" />
        </radialGradient>
        <radialGradient id="lit-brass" cx=".36" cy=".3" r=".8">
          <stop offset="0" stop-color="#f6dfae" />
          <stop offset=".6" stop-color="#d9b36c" />
          <stop offset="1" stop-color="#8a6a33" />
        </radialGradient>
        <g id="ball-red">
          <circle r="44" fill="url(#lit-red)" />
          <circle r="18" fill="none" stroke="#fff4ea" stroke-width="9" />
        </g>
        <g id="ball-yellow">
          <circle r="44" fill="url(#lit-yellow)" />
          <path d="M0-22 21 14H-21z" fill="none" stroke="#2c2000" stroke-width="8" stroke-linejoin="round" />
        </g>
        <g id="hollow-red" fill="none" stroke="#ff6b7b">
          <circle r="40" stroke-width="7" stroke-dasharray="14 9" />
          <circle r="17" stroke-width="7" />
        </g>
        <g id="hollow-yellow" fill="none" stroke="#ffd23f">
          <circle r="40" stroke-width="7" stroke-dasharray="14 9" />
          <path d="M0-20 19 13H-19z" stroke-width="7" stroke-linejoin="round" />
        </g>
        <g id="coin">
          <circle r="44" fill="url(#lit-brass)" />
          <circle r="36" fill="none" stroke="#8a6a33" stroke-width="3" />
          <path d="M0-34 7-7 34 0 7 7 0 34-7 7-34 0-7-7z" fill="#4a3613" />
        </g>
        <g id="tick">
          <circle r="19" fill="#f4f1e8" />
          <path d="M-9 0-2 7 9-7" fill="none" stroke="#0b1020" stroke-width="6" stroke-linecap="round" />
        </g>
      </defs>
    </svg>
  );
}

/** A ball, or the coin, by itself. */
export function Token({ name }: { name: "ball-red" | "ball-yellow" | "coin" }) {
  return (
    <svg class="token" viewBox="-46 -46 92 92" aria-hidden="true">
      <use href={`#${name}`} />
    </svg>
  );
}
