import { sideOf } from "../live/phase";
import type { EventState, ReceiptAsk, SideTaken, TeamCounted, ToPhone, TurnSealed, You } from "../protocol";
import type { Ballot, BallotKeeper } from "./ballot";
import { buzz } from "./buzz";
import { columnsOf } from "./choice";
import { Checks } from "./checks";
import { isFromHere, pressedIn } from "./kept";
import type { Receipt } from "./receipt";
import { isOf } from "./view";
import { changesTold, teamIn } from "./sides";
import { keepRecord, readReceipts, readRecord, type Record } from "./seat";

const COUNTED_BUZZ_MS = 30;

/** What a phone keeps of its votes in a match: whether they counted, and whether they were its team's. */
export class Ledger {
  private checks: Checks;
  private event: EventState | null = null;
  private buzzed = 0;
  private changes: readonly SideTaken[] = [];

  constructor(
    private code: string,
    send: (message: ReceiptAsk) => boolean,
    private changed: (part: { receipts?: readonly Receipt[]; record?: Record; counts?: TeamCounted; seal?: TurnSealed; changes?: readonly SideTaken[]; sideRefused?: boolean }) => void,
  ) {
    this.checks = new Checks(code, send, (receipts) => this.changed({ receipts }));
  }

  /** Everything that a phone is told of its event, in order; `team` is the voter's at that time. */
  hear(message: ToPhone, team: number | null): void {
    if (message.type === "phone.welcomed") this.checks.begin();
    this.hearSides(message);
    if ("state" in message) this.follow(message.state, message.seq, message.type === "phone.welcomed" ? message.you.team : team);
    else if (message.type === "turn.sealed") this.seal(message);
    else if (message.type === "receipt.told") this.checks.told(message);
    else if (message.type === "ballot.counted") this.checks.counted(message);
    else if (message.type === "team.counted") this.changed({ counts: message });
  }

  /** A match begins with everybody where they came in. */
  private hearSides(message: ToPhone): void {
    const told = changesTold(message);
    const another = !told && "state" in message && message.state?.match?.id !== this.event?.match?.id;
    const news = told ?? (another ? { changes: [], sideRefused: false } : null);
    if (news?.changes) this.changes = news.changes;
    if (news) this.changed(news);
  }

  /** What happened to the ballot in hand. */
  hold(ballot: Ballot, team: number | null): void {
    const { status, sequence, turn, standing } = ballot;
    if (status === "counted" && sequence !== this.buzzed) buzz(COUNTED_BUZZ_MS);
    if (status === "counted") this.buzzed = sequence;
    this.checks.hold(ballot, team);
    const match = this.event?.match;
    if (match && standing !== null) this.put({ ...readRecord(this.code, match.id), turn, column: standing });
  }

  /** The ballot that was pressed here before the page was loaded anew, or just now (`early`), and the one that the box holds. */
  takeUp(keeper: BallotKeeper, you: You, early: boolean): void {
    const receipts = readReceipts(this.code, this.event?.match?.id ?? 0);
    const pressed = pressedIn(receipts, keeper.ballot.turn);
    if (pressed && early) keeper.outdo(pressed[0]);
    else if (pressed) keeper.resume(pressed);
    keeper.welcome(you, isFromHere(receipts, you));
  }

  private seal(seal: TurnSealed): void {
    this.checks.sealed(seal);
    this.changed({ seal });
  }

  private follow(event: EventState, seq: number, team: number | null): void {
    this.event = event;
    this.checks.follow(event, seq);
    this.judge(event, team);
  }

  /** Was the voter with its team? Turns that are still to be voted, or to be voted again, say nothing. */
  private judge(event: EventState, team: number | null): void {
    if (!event.match || team === null) return;
    const { id, turn, reveal } = event.match;
    const record = readRecord(this.code, id);
    const agreed = { ...record.agreed };
    const tally = reveal?.[sideOf(event, teamIn(this.changes, team, reveal.number))];
    if (tally && tally.decided_by !== "resign" && isOf(reveal, record.turn)) agreed[reveal.number] = columnsOf(record.column).includes(tally.pick ?? 0);
    for (const number in agreed) if (turn && Number(number) >= turn.number) delete agreed[number];
    this.put({ ...record, agreed });
  }

  private put(record: Record): void {
    keepRecord(this.code, record);
    this.changed({ record });
  }
}
