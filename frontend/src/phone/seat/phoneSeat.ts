import { elapsedMs, pageAgeMs } from "../../live/connection/clock";
import { connect } from "../../live/connection/connect";
import { Store } from "../../live/state/store";
import { CloseCode } from "../../protocol";
import type { Error, EventState, PagePreload, PhoneMessage, PhoneWelcomed, ToPhone } from "../../protocol";
import { BallotKeeper, NO_BALLOT, type Ballot } from "../ballot/ballot";
import type { VoteLedger } from "../receipts/voteLedger";
import type { VoterState, SeatedPhone } from "./voterState";
import { hasReceipts, storeKey, storeToken, NO_RECORD, readToken, storedTeam } from "./storage";
import { loadDeferred, whenDeferred } from "../deferred";

const RETRY_SPREAD_MS = 2000;
/** How long a server may keep waiting for a phone with a dead connection. */
const DEAD_CONNECTION_MS = 30_000;
const RETRY_GAP_MS = 2500;
/** When a phone with a seat loads the deferred bundle, if nothing needed it before. */
const IDLE_MS = 5000;
/** More messages than arrive while the deferred bundle is loading. */
const MAX_QUEUED = 48;

/**
 * Joins an event with the stored seat token, or takes a new seat. `key` is the ticket or code to show, and `page` the
 * page preload, which is shown before the socket has connected.
 */
export class PhoneSeat implements SeatedPhone {
  readonly voter: Store<VoterState>;
  readonly clock;
  readonly store;
  readonly socket;
  /** Sends nothing before the welcome message, because the ballot's team is unknown until then. */
  private keeper = new BallotKeeper(
    (message) => this.socket.isJoined && this.socket.send(message),
    (ballot) => {
      this.voter.set({ ballot });
      this.hold(ballot);
    },
    () => this.socket.probeIfSilent(),
  );
  private ledger: VoteLedger | null = null;
  private queued: ((ledger: VoteLedger) => void)[] = [];
  /** Whether the server has confirmed the seat. */
  private isSeated = false;
  private retryTimer = 0;
  /** A key that was sent but not answered: it may already have given this phone its seat, until `doubtUntil`. */
  private unanswered: string | null = null;
  private doubtUntil = 0;
  private offer: string | null;

  constructor(
    private code: string,
    private wish: number | null,
    private key: string | null,
    page: PagePreload | null,
  ) {
    ({ clock: this.clock, store: this.store, socket: this.socket } = connect<PhoneMessage, ToPhone>(
      "/ws/phone",
      () => this.join(),
      (message) => this.receive(message),
    ));
    this.offer = page?.offer || null;
    this.voter = new Store<VoterState>({
      ...{ returned: !!readToken(this.code), team: (page && (storedTeam(this.code) || page.team)) || null, moved: false, voterCode: "" },
      ...{ blockedBy: null, ballot: NO_BALLOT, record: NO_RECORD, receipts: [], counts: null, sideChanges: [] },
    });
    whenDeferred(({ VoteLedger }) => {
      this.ledger = new VoteLedger(this.code, (message) => this.socket.send(message), (part) => this.voter.set(part), this.clock);
      for (const callback of this.queued.splice(0)) callback(this.ledger);
    });
    if (page && this.voter.get().team) {
      const { state, seq, now_at } = page;
      this.clock.estimate(now_at + pageAgeMs());
      this.store.set({ event: state, seq, change: "welcomed" });
      this.follow(state);
    }
    if (hasReceipts(this.code)) loadDeferred();
    this.store.subscribe(() => this.dropForeignToken());
    this.socket.open();
  }

  cast = (choice: number): void => this.keeper.cast(choice);

  choose(team: number): void {
    this.wish = team;
    this.socket.open();
  }

  show(typed: string): void {
    this.key = typed;
    this.socket.open();
  }

  reclaim(): void {
    this.store.set({ connection: { state: "connecting" } });
    this.socket.open();
  }

  leave(): void {
    clearTimeout(this.retryTimer);
    this.socket.close();
  }

  private join(): PhoneMessage {
    const token = readToken(this.code);
    const shown = token ? null : this.key;
    if (shown && shown === this.unanswered) this.doubtUntil = elapsedMs() + DEAD_CONNECTION_MS;
    this.unanswered = shown;
    return { type: "phone.join", code: this.code, token, team: this.wish, key: shown, offer: token ? null : this.offer };
  }

  private receive(message: ToPhone): void {
    const isState = "state" in message;
    if (isState && message.state !== this.store.get().event) return;
    const { team } = this.voter.get();
    const isWelcome = message.type === "phone.welcomed";
    // A ballot belongs to a team: after a move to the other team it is cleared.
    if (isWelcome && message.you.team !== team) this.keeper.follow(null);
    if (message.type !== "turnout.counted") this.withLedger((ledger) => ledger.receive(message, team, this.keeper));
    if (isState && !isWelcome) this.voter.set({ moved: false });
    if (isState) this.follow(message.state);
    if (isWelcome) this.welcomed(message);
    else if (message.type === "ballot.counted") this.keeper.counted(message);
    else if (message.type === "ballot.refused") this.keeper.refused(message);
    else if (message.type === "error" && message.event) this.blocked(message);
  }

  /** A seat may be available now. The random delay keeps an audience from retrying all at once. */
  private follow(event: EventState): void {
    this.keeper.follow(event.match?.turn ?? null);
    const { blockedBy, team } = this.voter.get();
    if (blockedBy && team === null && isOver(blockedBy, event)) this.retryIn(Math.random() * RETRY_SPREAD_MS);
  }

  private retryIn(ms: number): void {
    clearTimeout(this.retryTimer);
    this.retryTimer = window.setTimeout(() => this.socket.send(this.join()), ms);
  }

  private blocked(error: Error): void {
    this.unanswered = null;
    if (error.code === "key_wrong") this.key = null;
    if (error.code === "key_used" && elapsedMs() < this.doubtUntil) this.retryIn(RETRY_GAP_MS);
    else this.voter.set({ blockedBy: error, team: null });
  }

  private welcomed({ you }: PhoneWelcomed): void {
    clearTimeout(this.retryTimer);
    if (this.unanswered) storeKey(this.code, this.unanswered);
    this.unanswered = null;
    const { team, moved } = this.voter.get();
    const before = this.isSeated ? team : storedTeam(this.code);
    const movesNow = !!before && before !== you.team;
    const early = !this.isSeated && this.keeper.ballot.choice !== null;
    this.isSeated = true;
    this.voter.set({ team: you.team, moved: movesNow || moved, voterCode: you.voter_code, blockedBy: null });
    storeToken(this.code, you.token, you.team);
    if (early) this.keeper.raiseSequence(you.sequence);
    setTimeout(loadDeferred, IDLE_MS + Math.random() * RETRY_SPREAD_MS);
    if (movesNow) loadDeferred();
    if (!hasReceipts(this.code) && !this.ledger) this.keeper.welcome(you);
    else this.withLedger((ledger) => ledger.resumeBallot(this.keeper, you, early));
  }

  private hold(ballot: Ballot): void {
    const { team } = this.voter.get();
    if (ballot.choice !== null) this.voter.set({ moved: false });
    if (this.isSeated) this.withLedger((ledger) => ledger.hold(ballot, team));
    if (ballot.status === "counted") loadDeferred();
  }

  /** Calls back with the ledger, now or once it is loaded. */
  private withLedger(callback: (ledger: VoteLedger) => void): void {
    if (this.ledger) callback(this.ledger);
    else this.queued = [...this.queued, callback].slice(-MAX_QUEUED);
  }

  /** A seat token that the server doesn't know is deleted, and the phone joins again as a new this.voter. */
  private dropForeignToken(): void {
    const { connection } = this.store.get();
    if (connection.state !== "away" || connection.code !== CloseCode.BAD_TOKEN || !readToken(this.code)) return;
    storeToken(this.code, null);
    this.isSeated = false;
    this.reclaim();
  }
}

/** Whether the reason for the refusal may be gone: joining was opened, or the event's admission changed. */
function isOver({ code, event }: Error, { admission, team_choice }: EventState): boolean {
  return !/^key|^team/.test(code) || event?.admission !== admission || event.team_choice !== team_choice;
}
