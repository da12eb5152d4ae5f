import assert from "node:assert/strict";
import test, { mock } from "node:test";
import type { EventState, ReceiptAsk, ReceiptIssued, You } from "../../protocol";
import { NO_BALLOT, type Ballot } from "../ballot/ballot";
import { ReceiptChecks } from "./receiptChecks";
import { isFromThisDevice, lastChoice } from "./receiptChoices";
import type { Finding, Receipt } from "./receipt";
import { leafHash } from "./receiptProof";
import { readReceipts } from "../seat/storage";

Object.assign(globalThis, { window: globalThis });

const MIN_DELAY_MS = 500;
const LATEST_MS = 4000;
const BLIND = "5".repeat(32);
/** The root if the vote for column 4 in turn 1 is the only one. */
const ROOT = leafHash({ turn: 10, side: "red" }, [1, 4, BLIND]);
const ELSEWHERE = "0".repeat(64);
let codes = 0;

/** A phone in a match; turn n has the id 10 * n, or another one after it was voided. */
class Phone {
  asked: number[] = [];
  receipts: readonly Receipt[] = [];
  online = true;
  max_side_changes = 0;
  seq = 0;
  code = `HALL${++codes}`;
  checks = new ReceiptChecks(
    this.code,
    (message: ReceiptAsk) => this.online && this.asked.push(message.turn) > 0,
    (receipts) => (this.receipts = receipts),
  );

  /** The receipts as a reloaded page finds them. */
  get kept(): readonly Receipt[] {
    return readReceipts(this.code, 1);
  }

  /** Turn `number` is open; the one before it was revealed. */
  open(number: number, { id = 10 * number, epoch = 1, state = "playing", missed = 0, closes_at = 1000, sealed_at = 1000, root = ROOT, admission = "open" } = {}): void {
    const turn = state === "playing" ? { id, number, epoch, closes_at } : null;
    const reveal = { turn: 10 * (number - 1), number: number - 1, sealed_at, red: { root }, yellow: null };
    this.seq += 1 + missed;
    this.checks.follow({ admission, match: { id: 1, red: 1, max_side_changes: this.max_side_changes, state, turn, reveal } } as unknown as EventState, this.seq);
  }

  seal(number: number, at: number, root: string): void {
    this.checks.sealed({ type: "turn.sealed", epoch: 1, turn_commitment: null, turn: 10 * number, at, red: { root, ballots: 1, order: null }, yellow: null });
  }

  hold(number: number, status: Ballot["status"]): void {
    this.checks.hold({ ...NO_BALLOT, turn: 10 * number, choice: 4, blind: BLIND, sequence: 1, status }, 1);
  }

  answer(): void {
    const turn = this.asked[this.asked.length - 1]!;
    this.answerWith({ turn, side: "red", index: 0, ballots: 1 });
  }

  answerWith(part: Partial<ReceiptIssued> & { turn: number }): void {
    this.checks.receiveReceipt({ type: "receipt.issued", side: null, index: null, ballots: 0, path: [], choice: null, blind: null, ...part });
  }

  /** The finding for turn 1 after its receipt was requested and answered. */
  found(part: Partial<ReceiptIssued> = { index: 0, ballots: 1 }): Finding | null {
    mock.timers.tick(LATEST_MS);
    this.answerWith({ turn: 10, side: "red", ...part });
    return this.receipts[0]!.found;
  }
}

function votedIn(turns: number): Phone {
  const phone = new Phone();
  for (let number = 1; number <= turns; number++) {
    phone.open(number);
    phone.hold(number, "counted");
  }
  return phone;
}

test.beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
test.afterEach(() => mock.timers.reset());

test("a phone requests one receipt per turn, shortly after the reveal", () => {
  const phone = votedIn(1);
  mock.timers.tick(60_000);
  assert.deepEqual(phone.asked, []);
  phone.open(2);
  mock.timers.tick(MIN_DELAY_MS - 1);
  assert.deepEqual(phone.asked, []);
  mock.timers.tick(LATEST_MS - MIN_DELAY_MS + 1);
  assert.deepEqual(phone.asked, [10]);
  phone.answer();
  mock.timers.tick(60_000);
  assert.deepEqual(phone.asked, [10]);
});

test("after reconnecting, the last five receipts are requested one by one, newest first", () => {
  const phone = new Phone();
  phone.online = false;
  for (let number = 1; number <= 8; number++) {
    phone.open(number);
    phone.hold(number, "counted");
  }
  phone.open(9);
  phone.checks.resetPending();
  phone.online = true;
  phone.open(9);
  for (let n = 1; n <= 7; n++) {
    mock.timers.tick(LATEST_MS);
    assert.equal(phone.asked.length, Math.min(n, 5));
    phone.answer();
  }
  assert.deepEqual(phone.asked, [80, 70, 60, 50, 40]);
});

test("with secret sides no receipts are requested", () => {
  const phone = votedIn(1);
  phone.max_side_changes = 1;
  phone.open(2);
  mock.timers.tick(60_000);
  assert.deepEqual(phone.asked, []);
});

test("an unanswerable receipt is requested again once per turn, without an alarm", () => {
  const phone = votedIn(1);
  phone.open(2);
  mock.timers.tick(LATEST_MS);
  phone.answerWith({ turn: 10 });
  mock.timers.tick(60_000);
  assert.deepEqual(phone.asked, [10]);
  phone.open(3);
  mock.timers.tick(LATEST_MS);
  phone.answerWith({ turn: 10 });
  mock.timers.tick(60_000);
  assert.deepEqual(phone.asked, [10, 10]);
  assert.equal(phone.receipts[0]!.found, null);
});

test("receipts of voided turns and aborted matches are dropped", () => {
  const taken = votedIn(2);
  taken.open(2, { id: 99 });
  assert.deepEqual(taken.receipts.map(({ turn }) => turn), [10]);
  const stopped = votedIn(1);
  stopped.open(2, { state: "aborted" });
  assert.deepEqual(stopped.receipts, []);
});

test("a new epoch voids acknowledgements of the lost box", () => {
  const phone = votedIn(1);
  assert.equal(phone.receipts[0]!.acknowledged, 1);
  phone.open(1, { epoch: 2 });
  assert.equal(phone.receipts[0]!.acknowledged, 0);
  phone.hold(1, "counted");
  phone.open(1, { epoch: 2 });
  assert.equal(phone.receipts[0]!.acknowledged, 1);
});

test("the vote is still known after a page reload", () => {
  const phone = new Phone();
  phone.open(1);
  phone.hold(1, "sending");
  assert.deepEqual(lastChoice(phone.kept, 10, "red"), [1, 4, BLIND]);
  assert.equal(lastChoice(phone.kept, 20, "red"), undefined);
});

test("a window reopened after its seal raises no alarm", () => {
  const phone = votedIn(1);
  phone.seal(1, 1000, ELSEWHERE);
  phone.open(1, { closes_at: 2000 });
  phone.hold(1, "counted");
  phone.seal(1, 2000, ROOT);
  phone.seal(1, 1000, ELSEWHERE);
  phone.open(2, { sealed_at: 2000 });
  assert.equal(phone.found(), "checked");
});

test("a seal replaced without a new window is a permanent alarm", () => {
  for (const received of [true, false]) {
    const phone = votedIn(1);
    phone.seal(1, 1000, ELSEWHERE);
    phone.open(1, { closes_at: 999 });
    if (received) phone.seal(1, 1007, ROOT);
    phone.open(2, { sealed_at: 1007 });
    assert.equal(phone.found(), "missing");
  }
});

test("the seal of a reopened turn is discarded", () => {
  const phone = votedIn(1);
  phone.seal(1, 1000, ELSEWHERE);
  phone.open(1, { closes_at: 2000 });
  phone.open(2, { sealed_at: 1000 });
  assert.equal(phone.found(), "checked");
});

test("a seal that was replaced while the phone was offline raises no alarm, unless the time stays", () => {
  for (const [sealed_at, found] of [[2000, "checked"], [1000, "missing"]] as const) {
    const phone = votedIn(1);
    phone.seal(1, 1000, ELSEWHERE);
    phone.open(2, { missed: 2, sealed_at });
    assert.equal(phone.found(), found);
  }
});

test("a late older seal does not replace the newer one", () => {
  const phone = votedIn(1);
  phone.seal(1, 2000, ELSEWHERE);
  phone.seal(1, 1000, ROOT);
  phone.open(2, { sealed_at: 2000 });
  assert.equal(phone.found(), "missing");
});

test("a mismatch of seal and reveal is a permanent alarm", () => {
  const phone = votedIn(1);
  phone.seal(1, 1000, ELSEWHERE);
  phone.open(2);
  assert.equal(phone.found(), "missing");
  phone.open(3);
  assert.equal(phone.receipts[0]!.found, "missing");
});

test("a missed loss of the ballot box raises no alarm for earlier acknowledgements", () => {
  const nothing = { index: null };
  const there = votedIn(1);
  there.open(2);
  assert.equal(there.found(nothing), "missing");
  const away = votedIn(1);
  away.open(2, { missed: 1 });
  assert.equal(away.found(nothing), "unsure");
  const back = votedIn(1);
  back.open(1, { missed: 3 });
  back.open(2);
  assert.equal(back.found(nothing), "missing", "it reconnected in the same turn and epoch");
  const missedPhone = votedIn(1);
  missedPhone.open(1, { missed: 3, epoch: 2 });
  missedPhone.open(2);
  assert.equal(missedPhone.found(nothing), "late", "voided by the new epoch after reconnecting");
});

test("another device's vote raises no alarm if a code may be used on two devices", () => {
  const blind = "6".repeat(32);
  const root = leafHash({ turn: 10, side: "red" }, [1, 2, blind]);
  for (const [admission, found] of [["roster", "elsewhere"], ["tickets", "elsewhere"], ["open", "missing"]] as const) {
    const phone = votedIn(1);
    phone.open(2, { admission, root });
    assert.equal(phone.found({ index: 0, ballots: 1, choice: 2, blind }), found, admission);
  }
});

test("a stored ballot is from this device unless the device cast different ones in that turn", () => {
  const phone = votedIn(1);
  const you = { turn: 10, blind: BLIND } as You;
  assert.equal(isFromThisDevice(phone.kept, you), true);
  assert.equal(isFromThisDevice(phone.kept, { ...you, blind: "6".repeat(32) }), false);
  assert.equal(isFromThisDevice(phone.kept, { ...you, turn: 20, blind: "6".repeat(32) }), true);
  assert.equal(isFromThisDevice(phone.kept, { ...you, blind: null }), true);
});
