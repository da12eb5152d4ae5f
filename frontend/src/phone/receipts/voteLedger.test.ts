import assert from "node:assert/strict";
import test, { afterEach, mock } from "node:test";
import type { EventState, ReceiptAsk, ToPhone } from "../../protocol";
import { ServerClock } from "../../live/connection/clock";
import { BallotKeeper, NO_BALLOT } from "../ballot/ballot";
import { VoteLedger } from "./voteLedger";
import type { Receipt } from "./receipt";
import { NO_RECORD, readReceipts, storeReceipts, type MatchRecord } from "../seat/storage";

let changeStorage: (event: { key: string }) => void = () => undefined;
Object.assign(globalThis, { window: globalThis, addEventListener: (_: string, listener: typeof changeStorage) => (changeStorage = listener) });
if (!("navigator" in globalThis)) Object.assign(globalThis, { navigator: {} });

const LATEST_MS = 4000;
const BLIND = "5".repeat(32);
let codes = 0;

afterEach(() => mock.timers.reset());

/** A phone of team 1, red, in a match; turn n has the id 100 + n. */
class Phone {
  asked: number[] = [];
  receipts: readonly Receipt[] = [];
  record: MatchRecord = NO_RECORD;
  seq = 0;
  keeper = new BallotKeeper(() => undefined, (ballot) => this.ledger.hold(ballot, 1), () => undefined);
  code = `BOOK${++codes}`;
  ledger = new VoteLedger(
    this.code,
    (message: ReceiptAsk) => this.asked.push(message.turn) > 0,
    (part) => Object.assign(this, part),
    new ServerClock(),
  );

  /** Turn `number` is open; the previous turn's pick was `pick`. */
  state(number: number, pick = 4): EventState {
    const turn = { id: 100 + number, number, epoch: 1, closes_at: 1000 };
    const reveal = { turn: 99 + number, number: number - 1, sealed_at: 1000, resolved_at: 1100, steps: { pour: 300, over: 3000 }, red: { root: "", pick }, yellow: null };
    return { admission: "open", match: { id: 1, red: 1, state: "playing", turn, reveal } } as unknown as EventState;
  }

  welcome(number: number, pick?: number, team = 1, keeper = this.keeper): void {
    const you = { token: "", team, turn: null, choice: null, sequence: 0, blind: null, voter_code: "", side_changes: [] };
    this.ledger.receive({ type: "phone.welcomed", now_at: 0, seq: ++this.seq, you, state: this.state(number, pick) }, 1, keeper);
  }

  /** After a reload in turn 1, without a ballot for `team` in the welcome: the choice shown and those sent. */
  reload(team: number): { shown: number | null; sent: number[] } {
    mock.timers.enable({ apis: ["setTimeout"] });
    const sent: number[] = [];
    const keeper = new BallotKeeper((cast) => sent.push(cast.choice), () => undefined, () => undefined);
    const you = { token: "", team, turn: 101, choice: null, sequence: 1, blind: null, voter_code: "", side_changes: [] };
    this.welcome(1, undefined, team, keeper);
    keeper.follow(this.state(1).match!.turn);
    this.ledger.resumeBallot(keeper, you, false);
    changeStorage({ key: `crowdgame:${this.code}:receipts` });
    mock.timers.reset();
    return { shown: keeper.ballot.choice, sent };
  }

  change(number: number, pick?: number): void {
    this.ledger.receive({ type: "turn.revealed", seq: ++this.seq, at: 0, state: this.state(number, pick) } as ToPhone, 1, this.keeper);
  }

  vote(number: number, choice: number, status: "sending" | "counted" = "counted"): void {
    const heldChoice = status === "counted" ? choice : null;
    this.ledger.hold({ ...NO_BALLOT, turn: 100 + number, choice, blind: BLIND, sequence: 1, status, heldChoice }, 1);
  }
}

test("a phone that reconnects after a turn requests its receipt", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const phone = new Phone();
  phone.welcome(1);
  phone.vote(1, 4, "sending");
  phone.welcome(2);
  mock.timers.tick(LATEST_MS);
  assert.deepEqual(phone.asked, [101]);
});

test("each revealed turn records whether the vote agreed with the team, and voiding removes it", () => {
  const phone = new Phone();
  phone.welcome(1);
  phone.vote(1, 4);
  phone.change(2, 4);
  phone.vote(2, 3);
  phone.change(3, 5);
  assert.deepEqual(phone.record.agreed, { 1: true, 2: false });
  phone.change(2, 4);
  assert.deepEqual(phone.record.agreed, { 1: true });
});

test("an uncounted vote is not recorded as agreeing", () => {
  const phone = new Phone();
  phone.welcome(1);
  phone.vote(1, 4, "sending");
  phone.change(2, 4);
  assert.deepEqual(phone.record.agreed, {});
});

test("an unsent vote is resumed after a page reload", () => {
  const phone = new Phone();
  phone.welcome(1);
  phone.vote(1, 4, "sending");
  assert.deepEqual(phone.reload(1), { shown: 4, sent: [4] });
});

test("a vote for the old team is neither cast nor shown for the new one, and is resumed after a move back", () => {
  const phone = new Phone();
  phone.welcome(1);
  phone.vote(1, 4);
  assert.deepEqual(phone.reload(2), { shown: null, sent: [] });
  assert.deepEqual(phone.reload(1), { shown: 4, sent: [4] });
});

test("a vote before rejoining overrides the vote from before the page reload", () => {
  const phone = new Phone();
  phone.welcome(1);
  phone.vote(1, 4, "sending");
  const sent: [number, number][] = [];
  const keeper = new BallotKeeper((cast) => sent.push([cast.choice, cast.sequence]), () => undefined, () => undefined);
  keeper.follow(phone.state(1).match!.turn);
  keeper.cast(2);
  phone.ledger.resumeBallot(keeper, { token: "", team: 1, turn: null, choice: null, sequence: 0, blind: null, voter_code: "", side_changes: [] }, true);
  assert.deepEqual([keeper.ballot.choice, keeper.ballot.sequence], [2, 2]);
  keeper.follow(null);
});

test("the team's interim counts are passed on", () => {
  const phone = new Phone();
  const counts = { type: "team.counted", turn: 10, counts: [1, 2] } as const;
  phone.ledger.receive(counts, 1, phone.keeper);
  assert.deepEqual((phone as unknown as { counts: unknown }).counts, counts);
});

test("a request to mark a drop ends with the connection", () => {
  const phone = new Phone();
  const answer = { type: "drop.answered", turn: 10, answer: "waiting", symbol: 3, index: null } as const;
  const read = () => (phone as unknown as { drop: unknown }).drop;
  phone.ledger.receive(answer, 1, phone.keeper);
  assert.deepEqual(read(), answer);
  phone.welcome(1);
  assert.equal(read(), null);
});

test("a vote from another socket of the voter is shown, unless a later one was cast here", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const phone = new Phone();
  const { keeper } = phone;
  const shown = () => [keeper.ballot.choice, keeper.ballot.status, keeper.ballot.sequence, keeper.ballot.elsewhere];
  const changed = (choice: number, sequence: number, blind: string) =>
    phone.ledger.receive({ type: "ballot.changed", turn: 101, choice, sequence, blind }, 1, keeper);
  phone.welcome(1);
  keeper.follow(phone.state(1).match!.turn);
  keeper.cast(2);
  changed(5, 1, "7".repeat(32));
  assert.deepEqual(shown(), [2, "sending", 1, false], "the box refuses this one, and it is cast again");
  keeper.counted({ type: "ballot.counted", turn: 101, choice: 2, sequence: 1, now_at: 0 });
  changed(5, 2, "7".repeat(32));
  assert.deepEqual(shown(), [5, "counted", 2, true]);
  changed(4, 1, "8".repeat(32));
  assert.deepEqual(shown(), [5, "counted", 2, true]);
  keeper.follow(null);
});

test("a vote that counts in another tab of this browser is shown, unless a later one was cast here", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const phone = new Phone();
  const { keeper } = phone;
  const shown = () => [keeper.ballot.choice, keeper.ballot.status, keeper.ballot.sequence, keeper.ballot.elsewhere];
  phone.welcome(1);
  keeper.follow(phone.state(1).match!.turn);
  keeper.cast(2);
  keeper.counted({ type: "ballot.counted", turn: 101, choice: 2, sequence: 1, now_at: 0 });
  const [receipt] = readReceipts(phone.code, 1);
  const store = (acknowledged: number, key = `crowdgame:${phone.code}:receipts`) => {
    storeReceipts(phone.code, 1, [{ ...receipt!, acknowledged, choices: [...receipt!.choices, [2, 5, BLIND]] }]);
    changeStorage({ key });
  };
  store(1);
  assert.deepEqual(shown(), [2, "counted", 1, false], "not counted yet");
  store(2, "crowdgame:ELSE:receipts");
  assert.deepEqual(shown(), [2, "counted", 1, false]);
  store(2);
  assert.deepEqual(shown(), [5, "counted", 2, false]);
  keeper.cast(3);
  store(2);
  assert.deepEqual(shown(), [3, "sending", 3, false]);
  keeper.follow(null);
});
