/** Curves of movement: each takes a progress from 0 to 1. */

const LANDS = 0.74;
const BOUNCE = 0.05;

/** The part of a fall of `height` that lies behind, with one small bounce; a low fall is over sooner. */
export function fall(progress: number, height: number, highest: number): number {
  const took = 0.5 + 0.5 * Math.sqrt(height / highest);
  const t = Math.min(1, progress / took);
  if (t < LANDS) return (t / LANDS) ** 2;
  const u = (t - LANDS) / (1 - LANDS);
  return 1 - BOUNCE * 4 * u * (1 - u);
}

export function settle(progress: number): number {
  return 1 - (1 - progress) ** 3;
}

export function cross(progress: number): number {
  return progress < 0.5 ? 4 * progress ** 3 : 1 - (2 - 2 * progress) ** 3 / 2;
}

/** Whoever asked for less motion sees every change at once, in its place and order. */
export function still(progress: number): number {
  return progress > 0 ? 1 : 0;
}
