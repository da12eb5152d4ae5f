import { connect } from "../live/connect";
import { Store } from "../live/value";
import { CloseCode } from "../protocol";
import type { ErrorTold, EventState, PageTold, PhoneMessage, PhoneWelcomed, ToPhone } from "../protocol";
import { BallotKeeper, NO_BALLOT, type Ballot } from "./ballot";
import type { Ledger } from "./ledger";
import type { Mine, Seated } from "./mine";
import { hasReceipts, keepKey, keepToken, NO_RECORD, readToken, teamKept } from "./seat";
import { need, onceHere } from "./second";

const HALL_KNOCKS_WITHIN_MS = 2000;
/** So long a server may wait for a phone whose line is dead. */
const LINE_DIES_WITHIN_MS = 30_000;
const KNOCK_APART_MS = 2500;
/** More than comes while the second part of the page is fetched. */
const MOST_UNHEARD = 48;

/** A phone in an event; `key` is what is shown at the door, `page` what its page came with. */
export function takeSeat(code: string, wish: number | null, key: string | null, page: PageTold | null): Seated {
  const mine = new Store<Mine>({
    ...{ returned: !!page && !!readToken(code), team: (page && (teamKept(code) || page.team)) || null, moved: false, sign: "" },
    ...{ hindrance: null, ballot: NO_BALLOT, record: NO_RECORD, receipts: [], counts: null, changes: [] },
  });
  const link = connect<PhoneMessage, ToPhone>("/ws/phone", join, heard);
  /** Until it is welcomed, nobody knows whose team's the ballot is. */
  const keeper = new BallotKeeper(
    (message) => isIn() && link.socket.send(message),
    (ballot) => {
      mine.set({ ballot });
      hold(ballot);
    },
    () => link.socket.doubt(),
  );
  let ledger: Ledger | null = null;
  let unheard: ((ledger: Ledger) => void)[] = [];

  /** Whether the server has said that there is a seat. */
  let sure = false;
  let knock = 0;
  let unanswered: string | null = null;
  let doubtUntil = 0;

  const isIn = () => link.store.get().connection.state === "joined";

  /** A key that was shown, and never answered, may have let in this very phone. */
  function join(): PhoneMessage {
    const token = readToken(code);
    const shown = token ? null : key;
    if (shown && shown === unanswered) doubtUntil = Date.now() + LINE_DIES_WITHIN_MS;
    unanswered = shown;
    return { type: "phone.join", code, token, team: wish, key: shown, offer: (!token && page?.offer) || null };
  }

  function heard(message: ToPhone): void {
    const isState = "state" in message;
    if (isState && message.state !== link.store.get().event) return;
    const { team } = mine.get();
    const isWelcome = message.type === "phone.welcomed";
    // A ballot is its team's: in another one the hand is empty.
    if (isWelcome && message.you.team !== team) keeper.follow(null);
    if (message.type !== "turnout.counted") enter((ledger) => ledger.hear(message, team));
    if (isState && !isWelcome && mine.get().moved) mine.set({ moved: false });
    if (isState) changed(message.state);
    if (isWelcome) welcomed(message);
    else if (message.type === "ballot.counted") keeper.counted(message);
    else if (message.type === "ballot.refused") keeper.refused(message);
    else if (message.type === "error.told" && hinders(message)) turnedAway(message);
  }

  /** Perhaps there is a seat now where there was none. A hall does not knock as one. */
  function changed(event: EventState): void {
    keeper.follow(event.match?.turn ?? null);
    const { hindrance, team } = mine.get();
    if (hindrance && team === null && isOver(hindrance, event)) knockIn(Math.random() * HALL_KNOCKS_WITHIN_MS);
  }

  function knockIn(ms: number): void {
    clearTimeout(knock);
    knock = window.setTimeout(() => link.socket.send(join()), ms);
  }

  function turnedAway(error: ErrorTold): void {
    unanswered = null;
    if (error.code === "key_wrong") key = null;
    if (error.code === "key_used" && Date.now() < doubtUntil) knockIn(KNOCK_APART_MS);
    else mine.set(sure ? { hindrance: error } : { hindrance: error, team: null });
  }

  function welcomed({ you }: PhoneWelcomed): void {
    clearTimeout(knock);
    if (unanswered) keepKey(code, unanswered);
    unanswered = null;
    const { team, returned } = mine.get();
    const before = sure ? team : teamKept(code);
    const moved = !!before && before !== you.team;
    const early = !sure && keeper.ballot.column !== null;
    sure = true;
    mine.set({ returned: returned || (team === null && !!readToken(code)), team: you.team, moved: moved || mine.get().moved, sign: you.sign, hindrance: null });
    keepToken(code, you.token);
    if (early) keeper.outdo(you.sequence);
    if (moved) need();
    else if (!hasReceipts(code) && !ledger) keeper.welcome(you);
    else enter((ledger) => ledger.takeUp(keeper, you, early));
  }

  function hold(ballot: Ballot): void {
    const { team, moved } = mine.get();
    if (moved && ballot.column !== null) mine.set({ moved: false });
    if (sure) enter((ledger) => ledger.hold(ballot, team));
    if (ballot.status === "counted") need();
  }

  /** What the ledger is to hear; it waits for it, if need be. */
  function enter(tell: (ledger: Ledger) => void): void {
    if (ledger) tell(ledger);
    else unheard = [...unheard, tell].slice(-MOST_UNHEARD);
  }

  onceHere(({ Ledger }) => {
    ledger = new Ledger(
      code,
      (message) => link.socket.send(message),
      (part) => mine.set(part),
    );
    for (const tell of unheard.splice(0)) tell(ledger);
  });

  function leaveForeignSeat(): void {
    const { connection } = link.store.get();
    if (connection.state !== "away" || connection.code !== CloseCode.BAD_TOKEN || !readToken(code)) return;
    keepToken(code, null);
    link.store.set({ connection: { state: "connecting" } });
    link.socket.open();
  }

  function begin({ state, seq, now_at }: PageTold): void {
    const { requestStart, responseStart } = performance.timing;
    link.clock.estimate(now_at + Date.now() - (requestStart + responseStart) / 2);
    link.store.set({ event: state, seq, change: "welcomed" });
    keeper.follow(state.match?.turn ?? null);
  }

  if (page && mine.get().team) begin(page);
  if (hasReceipts(code)) need();
  link.store.subscribe(leaveForeignSeat);
  link.socket.open();
  return {
    ...link,
    mine,
    cast: (column: number) => keeper.cast(column),
    choose(team: number) {
      wish = team;
      link.socket.open();
    },
    show(typed: string) {
      key = typed;
      link.socket.open();
    },
    reclaim() {
      link.store.set({ connection: { state: "connecting" } });
      link.socket.open();
    },
    leave() {
      clearTimeout(knock);
      link.socket.close();
    },
  };
}

/** Whether what hindered may hinder no longer: the doors are moved, or something else is asked for. */
function isOver({ code, event }: ErrorTold, { admission, team_choice }: EventState): boolean {
  return /^lobby|^join|^hands/.test(code) || event?.admission !== admission || event.team_choice !== team_choice;
}

function hinders(error: ErrorTold): boolean {
  return error.code !== "malformed" && !error.code.includes("joined");
}
