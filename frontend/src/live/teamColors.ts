import { sideForTeam } from "./match/phase";
import type { EventState, Side } from "../protocol";

/** The relative luminance from which black text has more contrast than white. */
const BRIGHT = 0.18;

/** Sets the colors of teams that have their own, as custom properties which `team_colors.css` uses. */
export const showTeamColors = (event: EventState): void => showSideColors(ownColors(event));

export function showSideColors(own: readonly (readonly [Side, string])[]): void {
  const { dataset, style } = document.documentElement;
  const shown = own.flat().join(" ");
  if ((dataset.own ?? "") === shown) return;
  dataset.own = shown;
  for (const [side, color] of own) for (const [name, shade] of Object.entries(colorShades(color))) style.setProperty(`--own-${side}${name}`, shade);
}

/** The colors of teams that have their own, with the sides that they play. */
export function ownColors(event: EventState): [Side, string][] {
  return event.teams.filter(({ color }) => color).map(({ number, color }) => [sideForTeam(event, number), color]);
}

/** The shades of a ball, and the color of text, by the suffix of their properties. */
export function colorShades(color: string): Record<string, string> {
  return { "": color, "-lit": mix(color, 255), "-shade": mix(color, 0), "-ink": luminance(color) > BRIGHT ? "#000" : "#fff" };
}

/** The channels, from 0 to 255, of the color of the team that plays a side. Null: it is the side's. */
export function ownChannels(side: Side): number[] | null {
  const color = document.documentElement.dataset.own?.match(`${side} (#\\w+)`)?.[1];
  return color ? channels(color) : null;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
}

function mix(color: string, other: number): string {
  return `rgb(${channels(color).map((channel) => Math.round(channel + (other - channel) * 0.35)).join()})`;
}

function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((channel) => (channel / 255) ** 2.2);
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
