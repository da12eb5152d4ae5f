import { useEffect, useState } from "preact/hooks";
import type { ServerClock } from "./clock";

const LONGEST_SLEEP_MS = 60_000;

/** Server time, drawn anew each time a whole `step` is left until `until`. */
export function useNow(clock: ServerClock, until: number, step = 1000): number {
  const now = clock.now();
  const [, wake] = useState(0);
  useEffect(() => {
    const left = until - clock.now();
    if (left <= 0) return;
    const timer = setTimeout(() => wake((n) => n + 1), Math.min(left, ((left - 1) % step) + 1));
    return () => clearTimeout(timer);
  });
  return now;
}

/** Server time, drawn anew as each of the moments passes. */
export function useMoments(clock: ServerClock, moments: readonly number[]): number {
  const now = clock.now();
  const [, wake] = useState(0);
  useEffect(() => {
    const left = Math.min(...moments.map((at) => at - clock.now()).filter((ms) => ms > 0));
    if (left === Infinity) return;
    const timer = setTimeout(() => wake((n) => n + 1), Math.min(left + 1, LONGEST_SLEEP_MS));
    return () => clearTimeout(timer);
  });
  return now;
}
