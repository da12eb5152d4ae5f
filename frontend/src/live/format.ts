import { NUMBER_LOCALE } from "./i18n";

const wholeSeconds = (ms: number) => Math.max(0, Math.ceil(ms / 1000));

function inUnits(count: number, unit: string, unitDisplay: "long" | "narrow"): string {
  return count.toLocaleString(NUMBER_LOCALE, { style: "unit", unit, unitDisplay });
}

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

export const formatNumber = (count: number): string => count.toLocaleString(NUMBER_LOCALE);

/** Without the direction marks of Arabic: a sentence that begins with the share would be left-to-right. */
export function formatPercent(part: number, whole: number): string {
  return (whole && part / whole).toLocaleString(NUMBER_LOCALE, { style: "percent" }).replaceAll("\u200e", "");
}

/** The half of a Merkle root that people compare, in groups of four digits. Nobody can find two lists that share it. */
export function fingerprint(root: string): string {
  return root.slice(0, 32).replace(/.{4}\B/g, "$& ");
}
