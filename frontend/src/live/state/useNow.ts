import { useEffect, useState } from "preact/hooks";
import type { ServerClock } from "../connection/clock";

const MAX_TIMEOUT_MS = 60_000;

// Timers count from the time that was rendered: an effect may run somewhat later than its render.

/** The server time. Renders again whenever a whole `step` (ms) is left until `until`. */
export function useNow(clock: ServerClock, until: number, step = 1000): number {
  const now = clock.now();
  const [, wake] = useState(0);
  useEffect(() => {
    if (until <= now) return;
    const next = now + ((until - now - 1) % step) + 1;
    const timer = setTimeout(() => wake((n) => n + 1), next - clock.now());
    return () => clearTimeout(timer);
  });
  return now;
}

/** The server time. Renders again as each of the moments passes. */
export function useMoments(clock: ServerClock, moments: readonly number[]): number {
  const now = clock.now();
  const [, wake] = useState(0);
  useEffect(() => {
    const next = Math.min(...moments.filter((at) => at > now));
    if (next === Infinity) return;
    const timer = setTimeout(() => wake((n) => n + 1), Math.min(next - clock.now() + 1, MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  });
  return now;
}
