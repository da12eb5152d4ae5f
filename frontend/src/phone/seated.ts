import { connect } from "../live/connect";
import { Store } from "../live/value";
import { CloseCode } from "../protocol";
import type { ErrorTold, EventState, PhoneMessage, PhoneWelcomed, TeamCounted, ToPhone } from "../protocol";
import { BallotKeeper, NO_BALLOT, type Ballot } from "./ballot";
import type { Ledger } from "./ledger";
import type { Receipt } from "./receipts";
import { keepKey, hasReceipts, keepToken, NO_RECORD, readToken, type Record } from "./seat";
import { need, onceHere } from "./second";

const HALL_KNOCKS_WITHIN_MS = 2000;
/** So long a server may wait for a phone whose line is dead. */
const LINE_DIES_WITHIN_MS = 30_000;
const KNOCK_APART_MS = 2500;
/** More than comes while the second part of the page is fetched. */
const MOST_UNHEARD = 48;

/** What only this voter knows. `hindrance`: why there is no seat yet; `returned`: the seat was this device's before. */
export interface Mine {
  returned: boolean;
  team: number | null;
  hindrance: ErrorTold | null;
  ballot: Ballot;
  record: Record;
  receipts: readonly Receipt[];
  /** The own team's votes so far, where the event tells them. */
  counts: TeamCounted | null;
}

/** A phone in an event: its socket, its seat, its ballot; `key` is what is shown at the door. */
export function takeSeat(code: string, wish: number | null, key: string | null) {
  const mine = new Store<Mine>({ returned: false, team: null, hindrance: null, ballot: NO_BALLOT, record: NO_RECORD, receipts: [], counts: null });
  const link = connect<PhoneMessage, ToPhone>("/ws/phone", join, heard);
  const keeper = new BallotKeeper(
    (message) => void link.socket.send(message),
    (ballot) => {
      mine.set({ ballot });
      hold(ballot);
    },
    () => link.socket.doubt(),
  );
  let ledger: Ledger | null = null;
  let unheard: ((ledger: Ledger) => void)[] = [];

  let knock = 0;
  let unanswered: string | null = null;
  let doubtUntil = 0;

  /** A key that was shown, and never answered, may have let in this very phone. */
  function join(): PhoneMessage {
    const token = readToken(code);
    const shown = token ? null : key;
    if (shown && shown === unanswered) doubtUntil = Date.now() + LINE_DIES_WITHIN_MS;
    unanswered = shown;
    return { type: "phone.join", code, token, team: wish, key: shown };
  }

  function heard(message: ToPhone): void {
    const isState = "state" in message;
    if (isState && message.state !== link.store.get().event) return;
    const { team } = mine.get();
    if (message.type !== "turnout.counted") enter((ledger) => ledger.hear(message, team));
    if (isState) changed(message.state);
    if (message.type === "phone.welcomed") welcomed(message);
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
    else mine.set({ hindrance: error });
  }

  function welcomed({ you }: PhoneWelcomed): void {
    clearTimeout(knock);
    if (unanswered) keepKey(code, unanswered);
    unanswered = null;
    const { team, returned } = mine.get();
    mine.set({ returned: returned || (team === null && !!readToken(code)), team: you.team, hindrance: null });
    keepToken(code, you.token);
    const kept = hasReceipts(code);
    if (kept) need();
    if (kept || ledger) enter((ledger) => ledger.takeUp(keeper, you));
    else keeper.welcome(you);
  }

  function hold(ballot: Ballot): void {
    const { team } = mine.get();
    enter((ledger) => ledger.hold(ballot, team));
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
    /** Shows a code at the door. */
    show(typed: string) {
      key = typed;
      link.socket.open();
    },
    /** Joins again where the seat was given up to another window: the newest ones keep it. */
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

export type Seated = ReturnType<typeof takeSeat>;

/** Whether what hindered may hinder no longer: the doors are moved, or something else is asked for. */
function isOver({ code, event }: ErrorTold, { admission, team_choice }: EventState): boolean {
  return /^lobby|^join/.test(code) || event?.admission !== admission || event.team_choice !== team_choice;
}

function hinders(error: ErrorTold): boolean {
  return error.code !== "malformed" && !error.code.includes("joined");
}
