import { connect } from "../live/connect";
import { sideOf } from "../live/phase";
import { Store } from "../live/store";
import { CloseCode } from "../protocol";
import type { BallotCounted, ErrorTold, EventState, PhoneMessage, PhoneWelcomed, ToPhone } from "../protocol";
import { BallotKeeper, NO_BALLOT, type Ballot } from "./ballot";
import { Checks } from "./checks";
import type { Receipt } from "./receipts";
import { keepKey, keepRecord, keepToken, readRecord, readToken, type Record } from "./seat";

const HALL_KNOCKS_WITHIN_MS = 2000;
/** So long a server may wait for a phone whose line is dead. */
const LINE_DIES_WITHIN_MS = 30_000;
const KNOCK_APART_MS = 2500;

/** What only this voter knows. `hindrance`: why there is no seat yet; `returned`: the seat was this device's before. */
export interface Mine {
  returned: boolean;
  team: number | null;
  hindrance: ErrorTold | null;
  ballot: Ballot;
  record: Record;
  receipts: readonly Receipt[];
}

/** A phone in an event: its socket, its seat, its ballot; `key` is what is shown at the door. */
export function takeSeat(code: string, wish: number | null, key: string | null) {
  const mine = new Store<Mine>({ returned: false, team: null, hindrance: null, ballot: NO_BALLOT, record: readRecord(code, 0), receipts: [] });
  const link = connect<PhoneMessage, ToPhone>("/ws/phone", join, heard);
  const keeper = new BallotKeeper(
    (message) => void link.socket.send(message),
    (ballot) => {
      mine.set({ ballot });
      checks.hold(ballot, mine.get().team);
    },
    () => link.socket.doubt(),
  );
  const checks = new Checks(
    code,
    (message) => link.socket.send(message),
    (receipts) => mine.set({ receipts }),
  );

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
    if ("state" in message && message.state === link.store.get().event) changed(message.state, message.seq);
    if (message.type === "phone.welcomed") welcomed(message);
    else if (message.type === "ballot.counted") counted(message);
    else if (message.type === "ballot.refused") keeper.refused(message);
    else if (message.type === "turn.sealed") checks.sealed(message);
    else if (message.type === "receipt.told") checks.told(message);
    else if (message.type === "error.told" && hinders(message)) turnedAway(message);
    if (message.type === "phone.welcomed" || message.type === "ballot.counted") remember();
  }

  /** The event changed while there was no seat: perhaps there is one now. A hall does not knock as one. */
  function changed(event: EventState, seq: number): void {
    follow(event, seq);
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

  function welcomed({ you, state, seq }: PhoneWelcomed): void {
    clearTimeout(knock);
    if (unanswered) keepKey(code, unanswered);
    unanswered = null;
    const { team, returned } = mine.get();
    mine.set({ returned: returned || (team === null && !!readToken(code)), team: you.team, hindrance: null });
    keepToken(code, you.token);
    checks.begin();
    const pressed = checks.pressed(keeper.ballot.turn);
    if (pressed) keeper.resume(pressed);
    keeper.welcome(you, checks.isOwn(you));
    follow(state, seq);
  }

  function counted(message: BallotCounted): void {
    checks.counted(message);
    keeper.counted(message);
  }

  function follow(event: EventState, seq: number): void {
    checks.follow(event, seq);
    keeper.follow(event.match?.turn ?? null);
    judge(event);
  }

  function remember(): void {
    const match = link.store.get().event?.match;
    const { turn, standing } = keeper.ballot;
    if (!match || standing === null) return;
    put({ ...readRecord(code, match.id), turn, column: standing });
  }

  /** Was the voter with its team? Turns that are still to be voted, or to be voted again, say nothing. */
  function judge(event: EventState): void {
    const { team } = mine.get();
    if (!event.match || team === null) return;
    const { id, turn, reveal } = event.match;
    const record = readRecord(code, id);
    const agreed = { ...record.agreed };
    if (reveal && reveal.turn === record.turn) agreed[reveal.number] = reveal[sideOf(event, team)]?.pick === record.column;
    for (const number in agreed) if (turn && Number(number) >= turn.number) delete agreed[number];
    put({ ...record, agreed });
  }

  function put(record: Record): void {
    keepRecord(code, record);
    mine.set({ record });
  }

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
