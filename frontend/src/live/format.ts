import { NUMBER_LOCALE } from "./i18n";

const NO_BREAK = "\u00a0";

/** Time left: "7", "1:05", "3 h 20 min", "2 d 3 h". Rounds up to whole seconds. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 24) return twoUnits(Math.floor(hours / 24), "d", hours % 24, "h");
  if (hours >= 1) return twoUnits(hours, "h", minutes % 60, "min");
  const rest = `${seconds % 60}`;
  return minutes >= 1 ? `${minutes}:${rest.padStart(2, "0")}` : rest;
}

function twoUnits(big: number, bigUnit: string, small: number, smallUnit: string): string {
  const first = `${big}${NO_BREAK}${bigUnit}`;
  return small ? `${first} ${small}${NO_BREAK}${smallUnit}` : first;
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
