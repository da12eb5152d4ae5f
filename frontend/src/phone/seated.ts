import { connect } from "../live/connect";
import { sideOf } from "../live/phase";
import { Store } from "../live/store";
import { CloseCode } from "../protocol";
import type { ErrorTold, EventState, PhoneMessage, PhoneWelcomed, ToPhone } from "../protocol";
import { BallotKeeper, NO_BALLOT, type Ballot } from "./ballot";
import { keepRecord, keepToken, readRecord, readToken, type Record } from "./seat";

const HALL_KNOCKS_WITHIN_MS = 2000;

/** What only this voter knows. `hindrance`: why there is no seat yet. */
export interface Mine {
  team: number | null;
  hindrance: ErrorTold | null;
  ballot: Ballot;
  record: Record;
}

/** A phone in an event: its socket, its seat, its ballot. */
export function takeSeat(code: string, wish: number | null) {
  const mine = new Store<Mine>({ team: null, hindrance: null, ballot: NO_BALLOT, record: readRecord(code, 0) });
  const link = connect<PhoneMessage, ToPhone>("/ws/phone", join, heard);
  const keeper = new BallotKeeper(
    (message) => void link.socket.send(message),
    (ballot) => mine.set({ ballot }),
    () => link.socket.doubt(),
  );

  let knock = 0;

  function join(): PhoneMessage {
    return { type: "phone.join", code, token: readToken(code), team: wish };
  }

  function heard(message: ToPhone): void {
    if ("state" in message) follow(message.state);
    if ("state" in message && mine.get().hindrance && mine.get().team === null) knockAgain();
    if (message.type === "phone.welcomed") welcomed(message);
    else if (message.type === "ballot.counted") keeper.counted(message);
    else if (message.type === "ballot.refused") keeper.refused(message);
    else if (message.type === "error.told" && hinders(message)) mine.set({ hindrance: message });
    if (message.type === "phone.welcomed" || message.type === "ballot.counted") remember();
  }

  /** The event changed while there was no seat: perhaps there is one now. A hall does not knock as one. */
  function knockAgain(): void {
    clearTimeout(knock);
    if (mine.get().hindrance?.code !== "team_needed") knock = window.setTimeout(() => link.socket.send(join()), Math.random() * HALL_KNOCKS_WITHIN_MS);
  }

  function welcomed(message: PhoneWelcomed): void {
    clearTimeout(knock);
    keepToken(code, message.you.token);
    mine.set({ team: message.you.team, hindrance: null });
    keeper.welcome(message.you);
    follow(message.state);
  }

  function follow(event: EventState): void {
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
    /** Joins again where the seat was given up to another window: the newest ones keep it. */
    reclaim() {
      link.store.set({ connection: { state: "connecting" } });
      link.socket.open();
    },
    leave: () => link.socket.close(),
  };
}

export type Seated = ReturnType<typeof takeSeat>;

function hinders(error: ErrorTold): boolean {
  return error.code === "team_needed" || error.code === "lobby_closed" || error.code === "joining_locked";
}
