import { formatSpan } from "../labels";

/**
 * Health signals observed by this page. `overdueMs`: how long the count has been overdue. `skewMs`: this device's clock
 * skew.
 */
export interface HealthSignals {
  joined: boolean;
  overdueMs: number;
  lateMs: number | null;
  tookMs: number | null;
  skewMs: number;
}

export interface HealthStatus {
  good: boolean;
  text: string;
  more: string;
}

const SLOW_MS = 1000;
export const OVERDUE_MS = 2000;
const SKEW_MS = 30_000;

/** Summarize the signals for the organizer. The most severe problem comes first. */
export function assessHealth(signals: HealthSignals): HealthStatus {
  const error = describeError(signals);
  return { good: !error, text: error || "All good", more: error ? "" : healthDetails(signals).join(", ") };
}

function describeError({ joined, overdueMs, lateMs, tookMs }: HealthSignals): string {
  if (!joined) return "No connection";
  if (overdueMs > OVERDUE_MS) return "Counting is taking longer than usual. No votes are lost.";
  if (lateMs !== null && lateMs > SLOW_MS) return `The last turn was counted ${seconds(lateMs)} late`;
  if (tookMs !== null && tookMs > SLOW_MS) return `Slow: the last command took ${seconds(tookMs)}`;
  return "";
}

function healthDetails({ lateMs, tookMs, skewMs }: HealthSignals): string[] {
  const details: string[] = [];
  if (lateMs !== null) details.push(`last turn counted in ${seconds(lateMs)}`);
  if (tookMs !== null) details.push(`last command took ${seconds(tookMs)}`);
  if (Math.abs(skewMs) > SKEW_MS) details.push(`this device's clock is ${roughly(skewMs)} ${skewMs > 0 ? "behind" : "ahead"} (harmless)`);
  return details;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 100 ? 2 : 1)}\u00a0s`;
}

function roughly(ms: number): string {
  const whole = Math.round(Math.abs(ms) / 1000);
  return whole < 90 ? formatSpan(whole) : formatSpan(60 * Math.round(whole / 60));
}
