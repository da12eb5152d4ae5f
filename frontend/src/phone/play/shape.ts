import type { Side } from "../../protocol";
import { html, type Html } from "../dom";

const PATHS = { red: "M50 8a42 42 0 1 1-.01 0z", yellow: "M50 9 96 89H4z" };

/**
 * The side's shape as an outline, which is also the countdown. The share `left` (0 to 1) is drawn in full and the rest
 * is faint.
 */
export function shape(side: Side, left = 1): Html {
  return html`<svg class="shape" viewBox="0 0 100 100" aria-hidden="true">
    <path class="${left < 1 && "faint"}" d="${PATHS[side]}"/>
    ${left < 1 && html`<path class="left" d="${PATHS[side]}" pathLength="1" stroke-dashoffset="${1 - left}"/>`}
  </svg>`;
}

/** Gradients of the enamelled balls, lit from the upper left. Included once per page and used by every board. */
export const enamel = html`<svg class="defs" aria-hidden="true">
  ${["red", "yellow", "brass"].map((name, i) => html`<radialGradient id="lit-${name}" cx=".36" cy=".3" r=".8"><stop stop-color="#${["ff7b8a", "fff0a6", "f6dfae"][i]}"/><stop offset=".5" stop-color="#${["e8334a", "ffd23f", "d9b36c"][i]}"/><stop offset="1" stop-color="#${["a3172c", "c98f08", "8a6a33"][i]}"/></radialGradient>`)}
  <g id="ball-red" fill="none"><circle r="44" fill="url(#lit-red)"/><circle r="18" stroke="#fff4ea" stroke-width="9"/></g>
  <g id="ball-yellow" fill="none"><circle r="44" fill="url(#lit-yellow)"/><path d="M0-22 21 14H-21z" stroke="#2c2000" stroke-width="9" stroke-linejoin="round"/></g>
  <g id="coin" fill="none"><circle r="44" fill="url(#lit-brass)"/><path d="M0-34 7-7 34 0 7 7 0 34-7 7-34 0-7-7z" fill="#4a3613"/></g>
  <g id="tick" fill="none"><circle r="19" fill="#f4f1e8"/><path d="M-9 0-2 7 9-7" stroke="#0b1020" stroke-width="6"/></g>
</svg>`;

export const eye = html`<svg class="eye" viewBox="0 0 24 24" aria-hidden="true"><path d="M1 12q11-16 22 0q-11 16-22 0z"/><circle cx="12" cy="12" r="3"/></svg>`;

/** A single ball or the token. */
export function token(name: string): Html {
  return html`<svg class="token" viewBox="-46 -46 92 92" aria-hidden="true"><use href="#${name}"/></svg>`;
}
