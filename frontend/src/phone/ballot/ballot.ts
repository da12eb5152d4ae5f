import { elapsedMs } from "../../live/connection/clock";
import type { BallotCast, BallotCounted, BallotRefused, Refusal, Turn, You } from "../../protocol";
import { drawBlind } from "./blind";
import type { CastChoice } from "../receipts/receipt";

const RESEND_MS = 2000;
/** After a repetition, the next one waits longer, so that a busy server catches up. */
const LATER_RESEND_MS = 6000;
/** Refusals after which the ballot is sent again. */
const RETRIED = /unknown|busy|early/;
/** Keeps repeated taps within the socket's rate limit. Only the last choice matters. */
const SEND_GAP_MS = 250;

export type BallotStatus = "idle" | "sending" | "counted" | "refused";

/**
 * `choice` is the choice shown and `blind` its blinding factor. `heldChoice` is the choice last confirmed by the ballot
 * box.
 */
export interface Ballot {
  turn: number;
  choice: number | null;
  blind: string | null;
  sequence: number;
  status: BallotStatus;
  reason: Refusal | null;
  heldChoice: number | null;
  /** Whether it was cast from another device of this voter. */
  elsewhere: boolean;
}

export const NO_BALLOT: Ballot = {
  turn: 0,
  choice: null,
  blind: null,
  sequence: 0,
  status: "idle",
  reason: null,
  heldChoice: null,
  elsewhere: false,
};

/**
 * The voter's ballot in the current turn. An optimistic update shows a vote at once; it is pending and sent again until
 * the ballot box acknowledges it, and rolled back if it is refused.
 */
export class BallotKeeper {
  ballot = NO_BALLOT;
  private turn: Turn | null = null;
  private timer = 0;
  private sentAt = -Infinity;

  constructor(
    private send: (message: BallotCast) => void,
    private changed: (ballot: Ballot) => void,
    /** Called whenever the answer to a ballot is overdue. */
    private probeIfSilent: () => void,
  ) {}

  cast(choice: number): void {
    if (!this.turn || (choice === this.ballot.choice && this.ballot.status !== "refused")) return;
    this.update({ choice, blind: drawBlind(), sequence: this.ballot.sequence + 1, status: "sending", reason: null, elsewhere: false });
    this.post();
  }

  /** Follow the event: a new turn clears the ballot, and a new epoch sends it again. */
  follow(turn: Turn | null): void {
    const before = this.turn;
    this.turn = turn;
    if (turn?.id !== before?.id) {
      clearTimeout(this.timer);
      this.update({ ...NO_BALLOT, turn: turn?.id ?? 0 });
    } else if (turn && before && turn.epoch > before.epoch && this.ballot.choice !== null) {
      this.resend();
    }
  }

  /** A choice made before the server reported this seat's ballot is newer than that ballot. */
  raiseSequence(sequence: number): void {
    this.update({ sequence: Math.max(this.ballot.sequence, sequence + 1) });
  }

  /** Restore a choice made before the page was reloaded. */
  resume([sequence, choice, blind]: CastChoice): void {
    if (this.ballot.choice === null) this.update({ sequence, choice, blind, status: "sending" });
  }

  /**
   * After every welcome, and after a vote from another socket: reconcile the ballot box's ballot with this one; the higher sequence wins. `own`: cast on this
   * device.
   */
  welcome(you: Pick<You, "turn" | "choice" | "sequence" | "blind">, own = true): void {
    if (you.turn !== this.ballot.turn || you.choice === null) {
      if (this.ballot.choice !== null && this.ballot.status !== "refused") this.resend();
      return;
    }
    if (you.sequence >= this.ballot.sequence) {
      const { choice, sequence } = you;
      const blind = you.blind ?? this.ballot.blind;
      const elsewhere = !own && blind !== this.ballot.blind;
      this.update({ choice, blind, sequence, heldChoice: choice, status: "counted", reason: null, elsewhere });
    } else if (this.ballot.status !== "refused") {
      this.update({ heldChoice: you.choice });
      this.resend();
    }
  }

  counted(answer: BallotCounted): void {
    if (answer.turn !== this.ballot.turn) return;
    this.update({ heldChoice: answer.choice });
    if (answer.sequence !== this.ballot.sequence) return;
    clearTimeout(this.timer);
    this.update({ status: "counted", reason: null });
  }

  refused(answer: BallotRefused): void {
    if (answer.turn !== this.ballot.turn || answer.sequence !== this.ballot.sequence) return;
    if (answer.code === "stale") {
      this.update({ sequence: answer.last + 1 });
      this.post();
    } else if (!RETRIED.test(answer.code)) {
      clearTimeout(this.timer);
      this.update({ status: "refused", reason: answer.code });
    }
  }

  private resend(): void {
    this.update({ status: "sending" });
    this.post();
  }

  private post(waitMs = RESEND_MS): void {
    clearTimeout(this.timer);
    const { turn, choice, blind, sequence, status } = this.ballot;
    if (!this.turn || choice === null || status !== "sending") return;
    const early = this.sentAt + SEND_GAP_MS - elapsedMs();
    if (early > 0) {
      this.timer = window.setTimeout(() => this.post(), early);
      return;
    }
    this.sentAt = elapsedMs();
    this.send({ type: "ballot.cast", turn, epoch: this.turn.epoch, choice, sequence, blind });
    this.timer = window.setTimeout(() => this.unanswered(), waitMs);
  }

  private unanswered(): void {
    this.probeIfSilent();
    this.post(LATER_RESEND_MS);
  }

  private update(part: Partial<Ballot>): void {
    this.ballot = { ...this.ballot, ...part };
    this.changed(this.ballot);
  }
}
