import { NUMBER_LOCALE } from "../live/i18n";

export { formatNumber, formatPercent } from "../live/format";

function inUnits(count: number, unit: string, unitDisplay: "long" | "narrow"): string {
  return count.toLocaleString(NUMBER_LOCALE, { style: "unit", unit, unitDisplay });
}

const wholeSeconds = (ms: number) => Math.max(0, Math.ceil(ms / 1000));

/** A duration in one unit, for a sentence or a screen reader: "7 seconds", "3 minutes". */
export function formatDuration(ms: number): string {
  const seconds = wholeSeconds(ms);
  return seconds < 100 ? inUnits(seconds, "second", "long") : inUnits(Math.round(seconds / 60), "minute", "long");
}

/** Time left under an hour: "7", "1:05". Rounds up to whole seconds. */
export function formatClock(ms: number): string {
  const seconds = wholeSeconds(ms);
  const minutes = Math.floor(seconds / 60);
  const rest = `${seconds % 60}`;
  return minutes > 59 ? "" : minutes ? `${minutes}:${rest.padStart(2, "0")}` : rest;
}

/** Time left in hours or days: "3h 20m", "2d 3h". */
export function formatLongTime(ms: number): string {
  const minutes = Math.floor(wholeSeconds(ms) / 60);
  const hours = Math.floor(minutes / 60);
  return hours > 23
    ? `${inUnits(Math.floor(hours / 24), "day", "narrow")} ${inUnits(hours % 24, "hour", "narrow")}`
    : `${inUnits(hours, "hour", "narrow")} ${inUnits(minutes % 60, "minute", "narrow")}`;
}
