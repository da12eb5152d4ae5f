const MAX_SAMPLES = 5;
const JUMP_MS = 2000;

interface Sample {
  roundTripMs: number;
  offset: number;
}

/** The server's time, estimated: of the last few answers the one with the shortest trip is believed. */
export class ServerClock {
  private samples: Sample[] = [];
  private offset = 0;

  now(): number {
    return Date.now() + this.offset;
  }

  /** A first estimate from a welcome; it counts only until an answer to `clock.ask` is there. */
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

  /** Whether the server's clock, or this device's, was set: what was told between the two does not fit. */
  hasJumped(nowAt: number, sent: number, received: number): boolean {
    return nowAt < sent + this.offset - JUMP_MS || nowAt > received + this.offset + JUMP_MS;
  }

  /** After a sleep or on another network the old answers say nothing. */
  clearSamples(): void {
    this.samples = [];
  }
}
