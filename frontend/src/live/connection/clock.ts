const MAX_SAMPLES = 5;
const JUMP_MS = 2000;
const FRESH_MS = 45_000;
/** After a slow round trip, the estimate is vague. From 300 ms on, it is old at once. */
const AGE_PER_ROUND_TRIP = 150;

interface Sample {
  roundTripMs: number;
  offset: number;
}

/** A stopwatch: milliseconds since the page was opened, whatever happens to the device's clock. It may stop while the device sleeps. */
export const elapsedMs = () => Math.round(performance.now());

/** The time since the server wrote this page. */
export function pageAgeMs(): number {
  const { navigationStart, requestStart, responseStart } = performance.timing;
  return elapsedMs() + navigationStart - (requestStart + responseStart) / 2;
}

/**
 * Estimates the server's time (clock synchronization: clock offset, clock skew), which every countdown uses. Of the last few
 * answers, the one with the shortest round trip counts. All times of this device are from `elapsedMs`.
 */
export class ServerClock {
  private samples: Sample[] = [];
  private offset = 0;
  /** Until then, the estimate needs no new answer. */
  freshUntil = 0;

  now(): number {
    return elapsedMs() + this.offset;
  }

  /**
   * A first estimate from the welcome message, used only until the first answer with the server's time. Earlier answers
   * are invalid, because the device may have slept or changed networks.
   */
  estimate(nowAt: number): void {
    this.samples = [];
    this.freshUntil = 0;
    this.offset = nowAt - elapsedMs();
  }

  /** Adds an answer with the server's time `nowAt`. The request was sent at `sent` or later. */
  addSample(sent: number, nowAt: number): void {
    const received = elapsedMs();
    if (this.hasJumped(nowAt, sent, received)) this.samples = [];
    const sample = { roundTripMs: received - sent, offset: nowAt - (sent + received) / 2 };
    this.samples = [...this.samples, sample].slice(-MAX_SAMPLES);
    const best = this.samples.reduce((best, next) => (next.roundTripMs < best.roundTripMs ? next : best));
    this.offset = best.offset;
    this.freshUntil = received + FRESH_MS - best.roundTripMs * AGE_PER_ROUND_TRIP;
  }

  /** Whether the server's clock was set, or this device has slept: the server's time does not fit between sending and receiving. */
  hasJumped(nowAt: number, sent: number, received: number): boolean {
    return nowAt < sent + this.offset - JUMP_MS || nowAt > received + this.offset + JUMP_MS;
  }
}
