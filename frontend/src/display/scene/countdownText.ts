import { NUMBER_LOCALE } from "../../live/i18n";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** The countdown's text: a few large characters. Rounds up to whole seconds; the last one shown is 1. */
export function countdownText(leftMs: number): string {
  const s = Math.ceil(leftMs / 1000);
  if (s < MINUTE) return `${s}`;
  if (s < 100 * MINUTE) return `${Math.floor(s / MINUTE)}:${String(s % MINUTE).padStart(2, "0")}`;
  return s < 2 * DAY ? inUnits(Math.round(s / HOUR), "hour") : inUnits(Math.round(s / DAY), "day");
}

function inUnits(count: number, unit: string): string {
  return count.toLocaleString(NUMBER_LOCALE, { style: "unit", unit, unitDisplay: "narrow" });
}
