const MAX_SAMPLES = 5;
const JUMP_MS = 2000;

interface Sample {
  roundTripMs: number;
  offset: number;
}

/** The time since the server wrote this page. */
export function pageAgeMs(): number {
  const { requestStart, responseStart } = performance.timing;
  return Date.now() - (requestStart + responseStart) / 2;
}

/**
 * Estimates the server's time (clock synchronization: clock offset, clock skew), which every countdown uses. Of the last few
 * answers, the one with the shortest round trip counts.
 */
export class ServerClock {
  private samples: Sample[] = [];
  private offset = 0;

  now(): number {
    return Date.now() + this.offset;
  }

  /** A first estimate from the welcome message, used only until the first answer to `clock.ask`. */
  estimate(nowAt: number): void {
    if (this.samples.length === 0) this.offset = nowAt - Date.now();
  }

  addSample(sent: number, nowAt: number): void {
    const received = Date.now();
    if (this.hasJumped(nowAt, sent, received)) this.clearSamples();
    const sample = { roundTripMs: received - sent, offset: nowAt - (sent + received) / 2 };
    this.samples = [...this.samples, sample].slice(-MAX_SAMPLES);
    this.offset = this.samples.reduce((best, next) => (next.roundTripMs < best.roundTripMs ? next : best)).offset;
  }

  /**
   * Whether the server's or this device's clock was changed: the server's time does not fit between sending and
   * receiving.
   */
  hasJumped(nowAt: number, sent: number, received: number): boolean {
    return nowAt < sent + this.offset - JUMP_MS || nowAt > received + this.offset + JUMP_MS;
  }

  /** Old samples are invalid after the device slept or changed networks. */
  clearSamples(): void {
    this.samples = [];
  }
}
