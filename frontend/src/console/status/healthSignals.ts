import { t } from "../../live/i18n";
import { formatSeconds, formatSpan, joinList } from "../labels";

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
  return { good: !error, text: error || t("All good"), more: error ? "" : joinList(healthDetails(signals)) };
}

function describeError({ joined, overdueMs, lateMs, tookMs }: HealthSignals): string {
  if (!joined) return t("No connection");
  if (overdueMs > OVERDUE_MS) return t("Counting is taking longer than usual. No votes are lost.");
  if (lateMs !== null && lateMs > SLOW_MS) return t("The last turn was counted %(time)s late", { time: seconds(lateMs) });
  if (tookMs !== null && tookMs > SLOW_MS) return t("Slow: the last command took %(time)s", { time: seconds(tookMs) });
  return "";
}

function healthDetails({ lateMs, tookMs, skewMs }: HealthSignals): string[] {
  const details: string[] = [];
  if (lateMs !== null) details.push(t("last turn counted in %(time)s", { time: seconds(lateMs) }));
  if (tookMs !== null) details.push(t("last command took %(time)s", { time: seconds(tookMs) }));
  const time = roughly(skewMs);
  if (skewMs > SKEW_MS) details.push(t("this device's clock is %(time)s behind (harmless)", { time }));
  if (skewMs < -SKEW_MS) details.push(t("this device's clock is %(time)s ahead (harmless)", { time }));
  return details;
}

function seconds(ms: number): string {
  return formatSeconds(ms / 1000, ms < 100 ? 2 : 1);
}

function roughly(ms: number): string {
  const whole = Math.round(Math.abs(ms) / 1000);
  return whole < 90 ? formatSpan(whole) : formatSpan(60 * Math.round(whole / 60));
}
