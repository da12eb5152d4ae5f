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
export function takeSeat(code: string, wish: number | null, key: string | null, page: PagePreload | null): SeatedPhone {
  const voter = new Store<VoterState>({
    ...{ returned: !!page && !!readToken(code), team: (page && (storedTeam(code) || page.team)) || null, moved: false, voterCode: "" },
    ...{ blockedBy: null, ballot: NO_BALLOT, record: NO_RECORD, receipts: [], counts: null, sideChanges: [] },
  });
  const link = connect<PhoneMessage, ToPhone>("/ws/phone", join, onMessage);
  /** Sends nothing before the welcome message, because the ballot's team is unknown until then. */
  const keeper = new BallotKeeper(
    (message) => link.socket.isJoined && link.socket.send(message),
    (ballot) => {
      voter.set({ ballot });
      hold(ballot);
    },
    () => link.socket.probeIfSilent(),
  );
  let ledger: VoteLedger | null = null;
  let queued: ((ledger: VoteLedger) => void)[] = [];

  /** Whether the server has confirmed the seat. */
  let isSeated = false;
  let retryTimer = 0;
  let unanswered: string | null = null;
  let doubtUntil = 0;

  /** A key that was sent but not answered may already have given this phone its seat. */
  function join(): PhoneMessage {
    const token = readToken(code);
    const shown = token ? null : key;
    if (shown && shown === unanswered) doubtUntil = elapsedMs() + DEAD_CONNECTION_MS;
    unanswered = shown;
    return { type: "phone.join", code, token, team: wish, key: shown, offer: (!token && page?.offer) || null };
  }

  function onMessage(message: ToPhone): void {
    const isState = "state" in message;
    if (isState && message.state !== link.store.get().event) return;
    const { team } = voter.get();
    const isWelcome = message.type === "phone.welcomed";
    // A ballot belongs to a team: after a move to the other team it is cleared.
    if (isWelcome && message.you.team !== team) keeper.follow(null);
    if (message.type !== "turnout.counted") withLedger((ledger) => ledger.receive(message, team, keeper));
    if (isState && !isWelcome && voter.get().moved) voter.set({ moved: false });
    if (isState) onEvent(message.state);
    if (isWelcome) welcomed(message);
    else if (message.type === "ballot.counted") keeper.counted(message);
    else if (message.type === "ballot.refused") keeper.refused(message);
    else if (message.type === "error" && isBlocking(message)) blocked(message);
  }

  /** A seat may be available now. The random delay keeps an audience from retrying all at once. */
  function onEvent(event: EventState): void {
    keeper.follow(event.match?.turn ?? null);
    const { blockedBy, team } = voter.get();
    if (blockedBy && team === null && isOver(blockedBy, event)) retryIn(Math.random() * RETRY_SPREAD_MS);
  }

  function retryIn(ms: number): void {
    clearTimeout(retryTimer);
    retryTimer = window.setTimeout(() => link.socket.send(join()), ms);
  }

  function blocked(error: Error): void {
    unanswered = null;
    if (error.code === "key_wrong") key = null;
    if (error.code === "key_used" && elapsedMs() < doubtUntil) retryIn(RETRY_GAP_MS);
    else voter.set(isSeated ? { blockedBy: error } : { blockedBy: error, team: null });
  }

  function welcomed({ you }: PhoneWelcomed): void {
    clearTimeout(retryTimer);
    if (unanswered) storeKey(code, unanswered);
    unanswered = null;
    const { team, returned } = voter.get();
    const before = isSeated ? team : storedTeam(code);
    const moved = !!before && before !== you.team;
    const early = !isSeated && keeper.ballot.choice !== null;
    isSeated = true;
    voter.set({ returned: returned || (team === null && !!readToken(code)), team: you.team, moved: moved || voter.get().moved, voterCode: you.voter_code, blockedBy: null });
    storeToken(code, you.token);
    if (early) keeper.raiseSequence(you.sequence);
    setTimeout(loadDeferred, IDLE_MS + Math.random() * RETRY_SPREAD_MS);
    if (moved) loadDeferred();
    else if (!hasReceipts(code) && !ledger) keeper.welcome(you);
    else withLedger((ledger) => ledger.resumeBallot(keeper, you, early));
  }

  function hold(ballot: Ballot): void {
    const { team, moved } = voter.get();
    if (moved && ballot.choice !== null) voter.set({ moved: false });
    if (isSeated) withLedger((ledger) => ledger.hold(ballot, team));
    if (ballot.status === "counted") loadDeferred();
  }

  /** Calls back with the ledger, now or once it is loaded. */
  function withLedger(callback: (ledger: VoteLedger) => void): void {
    if (ledger) callback(ledger);
    else queued = [...queued, callback].slice(-MAX_QUEUED);
  }

  whenDeferred(({ VoteLedger }) => {
    ledger = new VoteLedger(
      code,
      (message) => link.socket.send(message),
      (part) => voter.set(part),
      link.clock,
    );
    for (const callback of queued.splice(0)) callback(ledger);
  });

  /** A seat token that the server doesn't know is deleted, and the phone joins again as a new voter. */
  function dropForeignToken(): void {
    const { connection } = link.store.get();
    if (connection.state !== "away" || connection.code !== CloseCode.BAD_TOKEN || !readToken(code)) return;
    storeToken(code, null);
    reclaim();
  }

  function reclaim(): void {
    link.store.set({ connection: { state: "connecting" } });
    link.socket.open();
  }

  /** Starts from the page preload. */
  function begin({ state, seq, now_at }: PagePreload): void {
    link.clock.estimate(now_at + pageAgeMs());
    link.store.set({ event: state, seq, change: "welcomed" });
    keeper.follow(state.match?.turn ?? null);
  }

  if (page && voter.get().team) begin(page);
  if (hasReceipts(code)) loadDeferred();
  link.store.subscribe(dropForeignToken);
  link.socket.open();
  return {
    ...link,
    voter,
    cast: (choice: number) => keeper.cast(choice),
    choose(team: number) {
      wish = team;
      link.socket.open();
    },
    show(typed: string) {
      key = typed;
      link.socket.open();
    },
    reclaim,
    leave() {
      clearTimeout(retryTimer);
      link.socket.close();
    },
  };
}

/** Whether the reason for the refusal may be gone: joining was opened, or the event's admission changed. */
function isOver({ code, event }: Error, { admission, team_choice }: EventState): boolean {
  return /^lobby|^join|^hands/.test(code) || event?.admission !== admission || event.team_choice !== team_choice;
}

function isBlocking(error: Error): boolean {
  return error.code !== "malformed" && !error.code.includes("joined");
}
