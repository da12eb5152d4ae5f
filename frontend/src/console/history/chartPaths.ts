import type { TeamPair, Sample } from "./eventHistory";

/** The chart's size in SVG units. */
export const CHART_WIDTH = 300;
export const CHART_HEIGHT = 100;

/** SVG path of a team's step line: level until the next sample, extended to the end of the chart. */
export function stepPath(samples: readonly Sample[], team: 0 | 1, from: number, to: number, most: number): string {
  const x = (at: number) => round(CHART_WIDTH * Math.max(0, Math.min(1, (at - from) / Math.max(1, to - from))));
  const y = (value: number) => round(CHART_HEIGHT * (1 - value / Math.max(most, Number.EPSILON)));
  const points = samples.map(({ at, teams }) => `${x(at)} ${y(teams[team])}`);
  const levels = points.map((point, index) => (index ? `H${point.split(" ")[0]}V${point.split(" ")[1]}` : `M${point}`));
  return levels.join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The next round number above, so that a line stays within the chart: 1, 2, 5, 10, 20, 50 and so on. */
export function niceCeiling(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 5, 10].map((step) => step * power).find((limit) => limit >= most)!;
}

export function maxSample(samples: readonly Sample[]): number {
  return Math.max(1, ...samples.flatMap(({ teams }) => teams));
}

export function latestValues(samples: readonly Sample[]): TeamPair {
  return samples[samples.length - 1]?.teams ?? [0, 0];
}
