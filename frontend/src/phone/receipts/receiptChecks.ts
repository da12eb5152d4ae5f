import { sideForTeam } from "../../live/match/phase";
import { bindingSeal, reopening, splitReveal } from "../../live/match/seals";
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

/** Stores the receipts of a match, and checks after each reveal that the vote is in the count. */
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

  /** On a new connection: forget pending requests. */
  resetPending(): void {
    clearTimeout(this.timer);
    this.timer = this.asked = 0;
    this.unknown.clear();
  }

  /**
   * `seq` shows whether a change was missed, such as one that reopened a sealed turn. Then a later seal may have replaced
   * the known one: `SealChecks` compares that with the record.
   */
  follow(event: EventState, seq: number): void {
    const before = this.event?.match?.turn;
    const [next, missed] = [seq === this.seq + 1, seq > this.seq + 1];
    if (event.match?.turn?.id !== before?.id) this.unknown.clear();
    [this.event, this.seq] = [event, seq];
    const { match } = event;
    if (!match) return;
    const sealed = before && this.roots.get(before.id)?.sealed;
    const reveals = match.reveal ? splitReveal(match.reveal) : [];
    const isReplaced = sealed && missed && reveals.some(({ turn, sealed_at }) => turn === sealed.turn && sealed_at > sealed.at);
    if (sealed && (isReplaced || reopening(sealed, before.closes_at, match.turn))) this.noteRoots(before.id, { sealed: null });
    for (const revealed of reveals) this.noteRoots(revealed.turn, { revealed });
    const over = next && match.turn?.id !== before?.id ? before?.id : 0;
    const update = (receipt: Receipt) => (receipt.turn === over ? { ...receipt, watched: true } : withRestoredEpoch(receipt, event));
    this.edit((kept) => kept.map(update).filter((receipt) => isStillValid(receipt, event)));
    this.ask();
  }

  sealed(message: TurnSealed): void {
    this.noteRoots(message.turn, { sealed: bindingSeal(this.roots.get(message.turn)?.sealed ?? null, message) });
  }

  hold(ballot: Ballot, team: number | null): void {
    const turn = this.event?.match?.turn;
    if (!turn || team === null) return;
    const ballotTurn = { turn: turn.id, number: turn.number, epoch: turn.epoch, side: sideForTeam(this.event!, team) };
    this.edit((receipts) => withBallot(receipts, ballot, ballotTurn));
  }

  counted({ turn, sequence }: BallotCounted): void {
    this.edit((receipts) => receipts.map((receipt) => (receipt.turn === turn ? acknowledged(receipt, sequence) : receipt)));
  }

  receiveReceipt(answer: ReceiptIssued): void {
    if (answer.turn !== this.asked) return;
    clearTimeout(this.timer);
    this.timer = this.asked = 0;
    if (answer.side === null) this.unknown.add(answer.turn);
    else this.edit((receipts) => receipts.map((receipt) => (receipt.turn === answer.turn ? this.judge(receipt, answer) : receipt)));
    this.ask();
  }

  /** Only a ticket or a roster code can be used on two devices. */
  private judge(receipt: Receipt, answer: ReceiptIssued): Receipt {
    const shared = /tickets|roster/.test(this.event!.admission);
    return withFinding(receipt, answer, this.roots.get(answer.turn) ?? UNKNOWN_ROOTS, shared);
  }

  /** Requests one receipt at a time, after a random delay, so that an audience does not ask all at once. */
  private ask(): void {
    if (this.event!.match?.max_side_changes) return; // with secret sides nobody gets a receipt: the length of the proof would reveal the size of the side
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

  /** Read before each write: another window with this seat may have stored a change. */
  private edit(change: (kept: readonly Receipt[]) => readonly Receipt[]): void {
    const match = this.event?.match?.id ?? 0;
    const receipts = change(this.read());
    storeReceipts(this.code, match, receipts);
    this.changed(receipts);
  }
}

/**
 * After the ballot box lost a turn's votes, everyone is notified by a new epoch, which voids earlier acknowledgements.
 */
function withRestoredEpoch(receipt: Receipt, { match }: EventState): Receipt {
  const turn = match?.turn;
  return turn?.id === receipt.turn && turn.epoch > receipt.epoch ? { ...receipt, epoch: turn.epoch, acknowledged: 0 } : receipt;
}

/** A voided or aborted turn has no count to check. Receipts found missing are kept. */
function isStillValid({ turn, number, found }: Receipt, { match }: EventState): boolean {
  if (found === "missing") return true;
  const again = match?.turn && number >= match.turn.number && turn !== match.turn.id;
  return !again && (!!found || match?.state !== "aborted");
}
