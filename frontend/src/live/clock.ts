const KEPT = 5;

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
    const sample = { trip: received - sent, offset: nowAt - (sent + received) / 2 };
    this.samples = [...this.samples, sample].slice(-KEPT);
    this.offset = this.samples.reduce((best, next) => (next.trip < best.trip ? next : best)).offset;
  }

  /** After a sleep or on another network the old answers say nothing. */
  forget(): void {
    this.samples = [];
  }
}
