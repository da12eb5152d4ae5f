import { elapsedMs, type ServerClock } from "../../live/connection/clock";
import type { BallotCounted } from "../../protocol";
import type { Ballot } from "./ballot";

/** Slower answers, also to ballots that waited for a connection, say less than the clock knows already. */
const MAX_ROUND_TRIP_MS = 300;

/**
 * Passes the server's time in acknowledgments to the clock, so that phones that vote need not ask for it. A ballot's
 * first sending counts: a repeated one may be answered by the acknowledgment of an earlier one.
 */
export class BallotTimer {
  private turn = 0;
  private sequence = 0;
  private sentAt = 0;
  private isLive = false;

  constructor(private clock: ServerClock) {
    // What happened while the deferred bundle was loading is passed on at once. Its times are unknown.
    queueMicrotask(() => (this.isLive = true));
  }

  hold({ turn, sequence, status }: Ballot): void {
    if (!this.isLive || status !== "sending" || (turn === this.turn && sequence === this.sequence)) return;
    [this.turn, this.sequence, this.sentAt] = [turn, sequence, elapsedMs()];
  }

  counted(answer: BallotCounted): void {
    if (elapsedMs() > this.sentAt + MAX_ROUND_TRIP_MS) return;
    // Servers of an earlier version send no time.
    if (this.isLive && answer.now_at && answer.turn === this.turn && answer.sequence === this.sequence) this.clock.addSample(this.sentAt, answer.now_at);
  }
}
