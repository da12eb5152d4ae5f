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

/** Light falls from the upper left. */
function lit(name: string, light: string, middle: string, shade: string): string {
  const stops = `<stop stop-color="${light}"/><stop offset=".5" stop-color="${middle}"/><stop offset="1" stop-color="${shade}"/>`;
  return `<radialGradient id="lit-${name}" cx=".36" cy=".3" r=".8">${stops}</radialGradient>`;
}

const ENAMEL = `<defs>
${lit("red", "#ff7b8a", "#e8334a", "#a3172c")}${lit("yellow", "#fff0a6", "#ffd23f", "#c98f08")}${lit("brass", "#f6dfae", "#d9b36c", "#8a6a33")}
<g id="ball-red" fill="none"><circle r="44" fill="url(#lit-red)"/><circle r="18" stroke="#fff4ea" stroke-width="9"/></g>
<g id="ball-yellow" fill="none"><circle r="44" fill="url(#lit-yellow)"/><path d="M0-22 21 14H-21z" stroke="#2c2000" stroke-width="8" stroke-linejoin="round"/></g>
<g id="hollow-red" fill="none" stroke="#ff6b7b" stroke-width="7"><circle r="40" stroke-dasharray="14 9"/><circle r="17"/></g>
<g id="hollow-yellow" fill="none" stroke="#ffd23f" stroke-width="7"><circle r="40" stroke-dasharray="14 9"/><path d="M0-20 19 13H-19z" stroke-linejoin="round"/></g>
<g id="coin" fill="none"><circle r="44" fill="url(#lit-brass)"/><circle r="36" stroke="#8a6a33" stroke-width="3"/><path d="M0-34 7-7 34 0 7 7 0 34-7 7-34 0-7-7z" fill="#4a3613"/></g>
<g id="tick" fill="none"><circle r="19" fill="#f4f1e8"/><path d="M-9 0-2 7 9-7" stroke="#0b1020" stroke-width="6" stroke-linecap="round"/></g>
<g id="eye" fill="none" stroke="#d9b36c" stroke-width="2"><path d="M1 12q11-16 22 0q-11 16-22 0z"/><circle cx="12" cy="12" r="3"/></g>
</defs>`;

/** Drawn once a page, used by every board: enamelled balls. As a text it weighs half of what elements do. */
export function Enamel() {
  return <svg class="defs" aria-hidden="true" dangerouslySetInnerHTML={{ __html: ENAMEL }} />;
}

/** A ball, or the coin, by itself. */
export function Token({ name }: { name: "ball-red" | "ball-yellow" | "coin" }) {
  return (
    <svg class="token" viewBox="-46 -46 92 92" aria-hidden="true">
      <use href={`#${name}`} />
    </svg>
  );
}
