import type { ServerClock } from "../../live/connection/clock";
import { withReadableReveal } from "../../live/match/lateReveal";
import { sideForTeam } from "../../live/match/phase";
import type { BallotChanged, BallotCounted, DropAnswered, DuelRefused, EventState, NicknameAnswered, ReceiptAsk, AcceptedSideChange, Side, TeamCounted, ToPhone, TurnSealed, You } from "../../protocol";
import type { Ballot, BallotKeeper } from "../ballot/ballot";
import { BallotTimer } from "../ballot/ballotTimer";
import { vibrate } from "../device/vibrate";
import { choiceColumns } from "../ballot/choice";
import { ReceiptChecks } from "./receiptChecks";
import { SealChecks, type SealCheck } from "./sealChecks";
import { isFromThisDevice, lastChoice, receiptForSide } from "./receiptChoices";
import type { Receipt } from "./receipt";
import { revealsTurn } from "../seat/phoneView";
import { sideChangeUpdate, teamInTurn } from "../play/sides";
import { storeRecord, readReceipts, readRecord, receiptsKey, type MatchRecord } from "../seat/storage";

const COUNTED_VIBRATION_MS = 30;

/**
 * What a phone stores about its votes in a match: whether they were counted, and whether they agreed with the team's
 * pick.
 */
export class VoteLedger {
  private checks: ReceiptChecks;
  private sealChecks: SealChecks;
  private timer: BallotTimer;
  private event: EventState | null = null;
  private side: Side | null = null;
  private vibratedFor = 0;
  private sideChanges: readonly AcceptedSideChange[] = [];
  private keeper: BallotKeeper | null = null;

  constructor(
    private code: string,
    send: (message: ReceiptAsk) => boolean,
    private changed: (part: { receipts?: readonly Receipt[]; record?: MatchRecord; counts?: TeamCounted; drop?: DropAnswered | null; seal?: TurnSealed; sealCheck?: SealCheck | null; sideChanges?: readonly AcceptedSideChange[]; sideRefused?: boolean; duelRefused?: DuelRefused; nickname?: NicknameAnswered | null }) => void,
    private clock: ServerClock,
  ) {
    this.timer = new BallotTimer(clock);
    this.checks = new ReceiptChecks(code, send, (receipts) => this.changed({ receipts }));
    this.sealChecks = new SealChecks(code, (sealCheck) => this.changed({ sealCheck }));
    window.addEventListener("storage", ({ key }) => key === receiptsKey(code) && this.readOtherTab());
  }

  /** Must get every message about the event, in order. `team` is the voter's team at that time. */
  receive(message: ToPhone, team: number | null, keeper: BallotKeeper): void {
    this.keeper = keeper;
    if ("state" in message) Object.assign(message.state, withReadableReveal(message.state, this.event, this.clock.now()));
    if (message.type === "phone.welcomed") this.resetPending();
    this.receiveSideChanges(message);
    if ("state" in message) this.follow(message.state, message.seq, message.type === "phone.welcomed" ? message.you.team : team);
    else if (message.type === "turn.sealed") this.seal(message);
    else if (message.type === "receipt.issued") this.checks.receiveReceipt(message);
    else if (message.type === "ballot.counted") this.counted(message);
    else if (message.type === "ballot.changed") this.takeOver(keeper, message);
    else if (message.type === "drop.answered") this.changed({ drop: message });
    else if (message.type === "duel.refused") this.changed({ duelRefused: message });
    else if (message.type === "nickname.answered") this.changed({ nickname: message });
    else if (message.type === "team.counted") this.changed({ counts: message });
  }

  private counted(answer: BallotCounted): void {
    this.timer.counted(answer);
    this.checks.counted(answer);
  }

  /** Requests end with the connection. */
  private resetPending(): void {
    this.checks.resetPending();
    this.changed({ drop: null, nickname: null });
  }

  /** A new match resets all side changes. */
  private receiveSideChanges(message: ToPhone): void {
    const update = sideChangeUpdate(message);
    const another = !update && "state" in message && message.state?.match?.id !== this.event?.match?.id;
    const news = update ?? (another ? { sideChanges: [], sideRefused: false } : null);
    if (news?.sideChanges) this.sideChanges = news.sideChanges;
    if (news) this.changed(news);
  }

  /** Record the state of the current ballot. */
  hold(ballot: Ballot, team: number | null): void {
    const { status, sequence, turn, heldChoice } = ballot;
    if (status === "counted" && sequence !== this.vibratedFor) vibrate(COUNTED_VIBRATION_MS);
    if (status === "counted") this.vibratedFor = sequence;
    this.timer.hold(ballot);
    this.checks.hold(ballot, team);
    const match = this.event?.match;
    if (match && heldChoice !== null) this.updateRecord({ ...readRecord(this.code, match.id), turn, choice: heldChoice });
  }

  /**
   * Restore the ballot cast here before a reload, or before the welcome message (`early`), and reconcile it with the
   * ballot box's.
   */
  resumeBallot(keeper: BallotKeeper, you: You, early: boolean): void {
    const receipts = readReceipts(this.code, this.event?.match?.id ?? 0);
    const pressed = lastChoice(receipts, keeper.ballot.turn, this.side);
    if (pressed && early) keeper.raiseSequence(pressed[0]);
    else if (pressed) keeper.resume(pressed);
    keeper.welcome(you, isFromThisDevice(receipts, you));
  }

  /** Shows the ballot cast by another socket of this voter, unless a later one was cast here or is being sent. */
  private takeOver(keeper: BallotKeeper, changed: Omit<BallotChanged, "type">): void {
    const { status, sequence } = keeper.ballot;
    const isFromHere = isFromThisDevice(readReceipts(this.code, this.event?.match?.id ?? 0), changed);
    if (status !== "sending" && changed.sequence > sequence && changed.turn === keeper.ballot.turn) keeper.welcome(changed, isFromHere);
  }

  /** Another tab of this browser, perhaps at another gateway, has stored a receipt. */
  private readOtherTab(): void {
    const { keeper } = this;
    const receipt = receiptForSide(readReceipts(this.code, this.event?.match?.id ?? 0), keeper?.ballot.turn ?? 0, this.side);
    const counted = receipt?.choices.find(([sequence]) => sequence === receipt.acknowledged);
    if (!keeper || !receipt || !counted) return;
    const [sequence, choice, blind] = counted;
    this.takeOver(keeper, { turn: receipt.turn, sequence, choice, blind });
  }

  private seal(seal: TurnSealed): void {
    this.checks.sealed(seal);
    this.sealChecks.sealed(seal);
    this.changed({ seal });
  }

  private follow(event: EventState, seq: number, team: number | null): void {
    this.event = event;
    this.side = team === null ? null : sideForTeam(event, team);
    this.checks.follow(event, seq);
    this.sealChecks.follow(event, seq);
    this.judge(event, team);
  }

  /** Record whether the voter agreed with its team. Turns still to be voted, or voted again, are removed. */
  private judge(event: EventState, team: number | null): void {
    if (!event.match || team === null) return;
    const { id, turn, reveal } = event.match;
    const record = readRecord(this.code, id);
    const agreed = { ...record.agreed };
    const tally = reveal?.[sideForTeam(event, teamInTurn(this.sideChanges, team, reveal.number))];
    if (tally && tally.decided_by !== "resign" && revealsTurn(reveal, record.turn)) agreed[reveal.number] = choiceColumns(record.choice, event.match).includes(tally.pick ?? 0);
    for (const number in agreed) if (turn && Number(number) >= turn.number) delete agreed[number];
    this.updateRecord({ ...record, agreed });
  }

  private updateRecord(record: MatchRecord): void {
    storeRecord(this.code, record);
    this.changed({ record });
  }
}
