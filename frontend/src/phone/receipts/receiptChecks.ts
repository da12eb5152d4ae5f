import { sideForTeam } from "../../live/match/phase";
import { splitReveal, isReopened, laterSeal } from "../../live/match/seals";
import type { BallotCounted, EventState, ReceiptAsk, ReceiptIssued, TurnSealed } from "../../protocol";
import type { Ballot } from "../ballot/ballot";
import type { Receipt } from "./receipt";
import { acknowledged, withBallot, withFinding, type Roots } from "./receiptProof";
import { storeReceipts, readReceipts } from "../seat/storage";

const MIN_DELAY_MS = 500;
const DELAY_SPREAD_MS = 3500;
const ANSWER_WITHIN_MS = 8000;
const MAX_ASKED = 5;

const UNKNOWN_ROOTS: Roots = { sealed: null, revealed: null };

/** Keeps the receipts of a match, and looks after each reveal whether the vote is in the count. */
export class ReceiptChecks {
  private event: EventState | null = null;
  private seq = 0;
  private roots = new Map<number, Roots>();
  private timer = 0;
  private asked = 0;
  private unknown = new Set<number>();

  constructor(
    private code: string,
    private send: (message: ReceiptAsk) => boolean,
    private changed: (receipts: readonly Receipt[]) => void,
  ) {}

  /** A new connection: nothing is under way any more. */
  resetPending(): void {
    clearTimeout(this.timer);
    this.timer = this.asked = 0;
    this.unknown.clear();
  }

  /** `seq` tells whether a change was missed. */
  follow(event: EventState, seq: number): void {
    const before = this.event?.match?.turn;
    const next = seq === this.seq + 1;
    if (event.match?.turn?.id !== before?.id) this.unknown.clear();
    [this.event, this.seq] = [event, seq];
    const { match } = event;
    if (!match) return;
    if (isReopened(before, match.turn)) this.noteRoots(before!.id, { sealed: null });
    for (const revealed of match.reveal ? splitReveal(match.reveal) : []) this.noteRoots(revealed.turn, { revealed });
    const over = next && match.turn?.id !== before?.id ? before?.id : 0;
    const update = (receipt: Receipt) => (receipt.turn === over ? { ...receipt, watched: true } : withRestoredEpoch(receipt, event));
    this.edit((kept) => kept.map(update).filter((receipt) => isStillValid(receipt, event)));
    this.ask();
  }

  sealed(message: TurnSealed): void {
    this.noteRoots(message.turn, { sealed: laterSeal(this.roots.get(message.turn)?.sealed ?? null, message) });
  }

  hold(ballot: Ballot, team: number | null): void {
    const turn = this.event?.match?.turn;
    if (!turn || team === null) return;
    const place = { turn: turn.id, number: turn.number, epoch: turn.epoch, side: sideForTeam(this.event!, team) };
    this.edit((kept) => withBallot(kept, ballot, place));
  }

  counted({ turn, sequence }: BallotCounted): void {
    this.edit((kept) => kept.map((receipt) => (receipt.turn === turn ? acknowledged(receipt, sequence) : receipt)));
  }

  receiveReceipt(answer: ReceiptIssued): void {
    if (answer.turn !== this.asked) return;
    clearTimeout(this.timer);
    this.timer = this.asked = 0;
    if (answer.side === null) this.unknown.add(answer.turn);
    else this.edit((kept) => kept.map((receipt) => (receipt.turn === answer.turn ? this.judge(receipt, answer) : receipt)));
    this.ask();
  }

  /** Only a ticket or a code of the class list can be shown on two devices. */
  private judge(receipt: Receipt, answer: ReceiptIssued): Receipt {
    const shared = /tickets|roster/.test(this.event!.admission);
    return withFinding(receipt, answer, this.roots.get(answer.turn) ?? UNKNOWN_ROOTS, shared);
  }

  /** One at a time, each at a moment of its own: a hall does not ask as one. */
  private ask(): void {
    if (this.event!.match?.max_side_changes) return; // nobody is told: a path is as long as its side is large
    const due = this.read().slice(-MAX_ASKED).reverse().find((receipt) => this.isDue(receipt));
    if (this.timer || !due) return;
    this.timer = window.setTimeout(() => {
      this.asked = due.turn;
      this.timer = window.setTimeout(() => (this.timer = this.asked = 0), this.send({ type: "receipt.ask", turn: due.turn }) ? ANSWER_WITHIN_MS : 0);
    }, MIN_DELAY_MS + Math.random() * DELAY_SPREAD_MS);
  }

  private isDue({ turn, found }: Receipt): boolean {
    return !found && turn !== this.event?.match?.turn?.id && !this.unknown.has(turn);
  }

  private noteRoots(turn: number, part: Partial<Roots>): void {
    this.roots.set(turn, { ...(this.roots.get(turn) ?? UNKNOWN_ROOTS), ...part });
  }

  private read(): readonly Receipt[] {
    return readReceipts(this.code, this.event?.match?.id ?? 0);
  }

  /** Another window of this seat may have written meanwhile: what is kept counts. */
  private edit(change: (kept: readonly Receipt[]) => readonly Receipt[]): void {
    const match = this.event?.match?.id ?? 0;
    const receipts = change(this.read());
    storeReceipts(this.code, match, receipts);
    this.changed(receipts);
  }
}

/** Where the ballot box lost a turn, all were told so, and an earlier acknowledgement is void. */
function withRestoredEpoch(receipt: Receipt, { match }: EventState): Receipt {
  const turn = match?.turn;
  return turn?.id === receipt.turn && turn.epoch > receipt.epoch ? { ...receipt, epoch: turn.epoch, acknowledged: 0 } : receipt;
}

/** A turn that was taken back or stopped has no count to be in. What was found missing stays. */
function isStillValid({ turn, number, found }: Receipt, { match }: EventState): boolean {
  if (found === "missing") return true;
  const again = match?.turn && number >= match.turn.number && turn !== match.turn.id;
  return !again && (!!found || match?.state !== "aborted");
}
