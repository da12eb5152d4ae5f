/** Easing functions: each takes a progress from 0 to 1. */

const LANDS = 0.74;
const BOUNCE = 0.05;

/** The share of its step that a fall of `height` takes: low falls end sooner. */
function fallDuration(height: number, highest: number): number {
  return 0.5 + 0.5 * Math.sqrt(Math.max(0, height) / highest);
}

/** The share of a fall of `height` that is completed, with one small bounce. */
export function fall(progress: number, height: number, highest: number): number {
  const t = Math.min(1, progress / fallDuration(height, highest));
  if (t < LANDS) return (t / LANDS) ** 2;
  const u = (t - LANDS) / (1 - LANDS);
  return 1 - BOUNCE * 4 * u * (1 - u);
}

/** The progress at which a fall of `height` first touches down. */
export function landsAt(height: number, highest: number): number {
  return LANDS * fallDuration(height, highest);
}

/** Decelerates. */
export function easeOut(progress: number): number {
  return 1 - (1 - progress) ** 3;
}

/** Accelerates, then decelerates. */
export function easeInOut(progress: number): number {
  return progress < 0.5 ? 4 * progress ** 3 : 1 - (2 - 2 * progress) ** 3 / 2;
}

/** Swings with increasing force and returns to the start. */
export function swing(progress: number): number {
  return Math.sin(progress * 3 * 2 * Math.PI) * Math.sin(Math.PI * progress) * (0.5 + progress / 2);
}

/** With reduced motion, changes happen at once, in the same place and order. */
export function jumpToEnd(progress: number): number {
  return progress > 0 ? 1 : 0;
}
