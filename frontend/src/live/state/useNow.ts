import { useEffect, useState } from "preact/hooks";
import type { ServerClock } from "../connection/clock";

const MAX_TIMEOUT_MS = 60_000;
const SECOND_MS = 1000;

/** The server time. Renders again at each whole second before `until`. */
export function useNow(clock: ServerClock, until: number): number {
  const now = clock.now();
  useRenderAt(clock, until > now ? now + ((until - now - 1) % SECOND_MS) + 1 : Infinity);
  return now;
}

/** The server time. Renders again as each of the moments passes. */
export function useMoments(clock: ServerClock, moments: readonly number[]): number {
  const now = clock.now();
  useRenderAt(clock, Math.min(...moments.filter((at) => at > now)) + 1);
  return now;
}

/** `at` counts from the time that was rendered: an effect may run somewhat later than its render. */
function useRenderAt(clock: ServerClock, at: number): void {
  const [, wake] = useState(0);
  useEffect(() => {
    if (at === Infinity) return;
    const timer = setTimeout(() => wake((n) => n + 1), Math.min(at - clock.now(), MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  });
}
