import assert from "node:assert/strict";
import test, { afterEach, beforeEach, mock } from "node:test";
import type { PhoneMessage, ToPhone } from "../../protocol";
import { watchClock } from "./clockWatch";
import { connect } from "./connect";
import { setDeviceClock } from "./fakeStopwatch";
import { FakeWebSocket, page } from "./fakeWebSocket";

const START = 1_800_000_000_000;
const MINUTE = 60_000;

/** A joined phone, whose clock requests are answered after `roundTripMs`. */
class Phone {
  asked: number[] = [];
  link = connect<PhoneMessage, ToPhone>("/ws/phone", () => ({ type: "phone.join", code: "HALL", token: null, team: null, key: null }));

  constructor(private roundTripMs: number) {
    this.link.socket.open();
    FakeWebSocket.last.open();
    this.deliver({ type: "phone.welcomed", now_at: Date.now(), seq: 1, you: {}, state: {} });
  }

  deliver(message: object): void {
    FakeWebSocket.last.deliver(message);
  }

  /** Let time pass, with a message from the server every `everyMs`. */
  pass(ms: number, everyMs: number, message: () => object): void {
    for (let at = 10; at <= ms; at += 10) {
      mock.timers.tick(10);
      for (const { type, sent } of FakeWebSocket.last.sent.splice(0)) {
        if (type !== "clock.ask") continue;
        this.asked.push(Date.now() - START);
        setTimeout(() => this.deliver({ type: "clock.synced", sent, now_at: Date.now() - this.roundTripMs / 2 }), this.roundTripMs);
      }
      if (at % everyMs === 0) this.deliver(message());
    }
  }
}

beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: START }));
afterEach(() => mock.timers.reset());

const turnout = () => ({ type: "turnout.counted" });

for (const [what, roundTripMs, everyMs, least, most] of [
  ["that receives messages asks every 45 seconds", 20, 10_000, 9, 14],
  ["in silence asks often enough to notice a dead connection", 20, Infinity, 16, 40],
  ["with a slow connection asks more often", 400, 10_000, 32, 52],
] as const) {
  test(`a phone ${what}`, () => {
    const phone = new Phone(roundTripMs);
    phone.pass(10 * MINUTE, everyMs, turnout);
    assert.ok(phone.asked.length >= least && phone.asked.length <= most, `${phone.asked.length} requests`);
    phone.link.socket.close();
  });
}

for (const stepMs of [3_600_000, -3_600_000]) {
  test(`a phone whose clock is set by ${stepMs} ms still finds a dead connection`, () => {
    const phone = new Phone(20);
    phone.pass(MINUTE, Infinity, turnout);
    setDeviceClock(stepMs);
    for (let ms = 0; ms < 45_000; ms += 500) mock.timers.tick(500);
    assert.equal(phone.link.store.get().connection.state, "lost");
    phone.link.socket.close();
  });
}

test("a phone that has slept asks for the time at once, and draws again", () => {
  const phone = new Phone(20);
  watchClock(() => phone.link.socket.probe());
  phone.pass(5000, Infinity, turnout);
  const [asked, drawn] = [phone.asked.length, mock.fn()];
  setDeviceClock(10 * MINUTE);
  phone.link.store.subscribe(drawn);
  phone.pass(2000, Infinity, turnout);
  assert.deepEqual([phone.asked.length, drawn.mock.callCount()], [asked + 1, 1]);
  assert.ok(Math.abs(phone.link.clock.now() - Date.now()) < 100);
  phone.link.socket.close();
});

test("a phone shows lost connections at once when it is offline, and after two seconds without an answer", () => {
  const phone = new Phone(20);
  const state = () => phone.link.store.get().connection.state;
  phone.pass(MINUTE, Infinity, turnout);
  page.dispatchEvent(new Event("offline"));
  assert.equal(state(), "lost");
  phone.pass(100, Infinity, turnout);
  assert.equal(state(), "joined");
  phone.link.socket.probeIfSilent();
  mock.timers.tick(4100);
  phone.link.socket.probeIfSilent();
  mock.timers.tick(1999);
  assert.equal(state(), "joined");
  mock.timers.tick(1);
  assert.deepEqual([state(), phone.link.socket.isJoined], ["lost", true]);
  mock.timers.tick(3999);
  assert.equal(phone.link.socket.isJoined, true);
  mock.timers.tick(1);
  assert.equal(phone.link.socket.isJoined, false);
  phone.link.socket.close();
});

test("a phone that votes never asks after its first requests", () => {
  const phone = new Phone(20);
  phone.pass(10 * MINUTE, 15_000, () => {
    phone.link.clock.addSample(performance.now() - 20, Date.now() - 10);
    return turnout();
  });
  assert.equal(phone.asked.length, 1);
  phone.link.socket.close();
});

test("a phone asks soon after a message by a clock that was set", () => {
  const phone = new Phone(20);
  phone.pass(10_000, Infinity, turnout);
  const before = phone.asked.length;
  phone.deliver({ type: "event.edited", seq: 2, at: Date.now() + 3_600_000, state: {} });
  phone.pass(4000, Infinity, turnout);
  assert.equal(phone.asked.length, before + 1);
  phone.link.socket.close();
});
