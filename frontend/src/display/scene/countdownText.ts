const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** The countdown's text: at most five large characters. Rounds up to whole seconds; the last one shown is 1. */
export function countdownText(leftMs: number): string {
  const s = Math.ceil(leftMs / 1000);
  if (s < MINUTE) return `${s}`;
  if (s < 100 * MINUTE) return `${Math.floor(s / MINUTE)}:${String(s % MINUTE).padStart(2, "0")}`;
  if (s < 2 * DAY) return `${Math.round(s / HOUR)} h`;
  return `${Math.round(s / DAY)} d`;
}
