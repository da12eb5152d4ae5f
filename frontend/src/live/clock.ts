const KEPT = 5;
const STEP_MS = 2000;

interface Sample {
  trip: number;
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

  hear(sent: number, nowAt: number): void {
    const received = Date.now();
    if (this.wasSet(nowAt, sent, received)) this.forget();
    const sample = { trip: received - sent, offset: nowAt - (sent + received) / 2 };
    this.samples = [...this.samples, sample].slice(-KEPT);
    this.offset = this.samples.reduce((best, next) => (next.trip < best.trip ? next : best)).offset;
  }

  /** Whether the server's clock, or this device's, was set: what was told between the two does not fit. */
  wasSet(nowAt: number, sent: number, received: number): boolean {
    return nowAt < sent + this.offset - STEP_MS || nowAt > received + this.offset + STEP_MS;
  }

  /** After a sleep or on another network the old answers say nothing. */
  forget(): void {
    this.samples = [];
  }
}
