import { span } from "./words";

/** What this page sees of the service. `overdueMs`: the votes are being counted for so long; `skewMs`: this device's clock. */
export interface Signs {
  joined: boolean;
  overdueMs: number;
  lateMs: number | null;
  tookMs: number | null;
  skewMs: number;
}

export interface Health {
  good: boolean;
  text: string;
  more: string;
}

const SLOW_MS = 1000;
export const OVERDUE_MS = 2000;
const SKEW_MS = 30_000;

/** How the service does, in the organizer's words: the gravest thing first. */
export function healthOf(signs: Signs): Health {
  const trouble = troubleOf(signs);
  return { good: !trouble, text: trouble || "All good", more: trouble ? "" : figures(signs).join(", ") };
}

function troubleOf({ joined, overdueMs, lateMs, tookMs }: Signs): string {
  if (!joined) return "No connection";
  if (overdueMs > OVERDUE_MS) return "Counting takes longer than usual; no vote is lost";
  if (lateMs !== null && lateMs > SLOW_MS) return `The last turn was counted ${seconds(lateMs)} late`;
  if (tookMs !== null && tookMs > SLOW_MS) return `Slow: the last press took ${seconds(tookMs)}`;
  return "";
}

function figures({ lateMs, tookMs, skewMs }: Signs): string[] {
  const told: string[] = [];
  if (lateMs !== null) told.push(`last turn counted in ${seconds(lateMs)}`);
  if (tookMs !== null) told.push(`last press in ${seconds(tookMs)}`);
  if (Math.abs(skewMs) > SKEW_MS) told.push(`this device's clock is ${about(skewMs)} ${skewMs > 0 ? "behind" : "ahead"}, which does no harm`);
  return told;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 100 ? 2 : 1)}\u00a0s`;
}

function about(ms: number): string {
  const whole = Math.round(Math.abs(ms) / 1000);
  return whole < 90 ? span(whole) : span(60 * Math.round(whole / 60));
}
