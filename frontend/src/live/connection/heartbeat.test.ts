import assert from "node:assert/strict";
import test, { mock } from "node:test";
import type { PhoneMessage, ToPhone } from "../../protocol";
import { connect } from "./connect";
import { FakeWebSocket } from "./fakeWebSocket";

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

const turnout = () => ({ type: "turnout.counted" });

for (const [what, roundTripMs, everyMs, least, most] of [
  ["that hears from the server asks once a minute", 20, 10_000, 9, 14],
  ["in silence asks often enough to notice a dead connection", 20, Infinity, 16, 40],
  ["with a slow connection asks more often", 400, 10_000, 32, 52],
] as const) {
  test(`a phone ${what}`, () => {
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: START });
    const phone = new Phone(roundTripMs);
    phone.pass(10 * MINUTE, everyMs, turnout);
    assert.ok(phone.asked.length >= least && phone.asked.length <= most, `${phone.asked.length} requests`);
    phone.link.socket.close();
    mock.timers.reset();
  });
}

test("a phone that votes never asks after its first requests", () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: START });
  const phone = new Phone(20);
  phone.pass(10 * MINUTE, 15_000, () => {
    phone.link.clock.addSample(Date.now() - 20, Date.now() - 10);
    return turnout();
  });
  assert.equal(phone.asked.length, 1);
  phone.link.socket.close();
  mock.timers.reset();
});

test("a phone asks soon after a message by a clock that was set", () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: START });
  const phone = new Phone(20);
  phone.pass(10_000, Infinity, turnout);
  const before = phone.asked.length;
  phone.deliver({ type: "event.edited", seq: 2, at: Date.now() + 3_600_000, state: {} });
  phone.pass(4000, Infinity, turnout);
  assert.equal(phone.asked.length, before + 1);
  phone.link.socket.close();
  mock.timers.reset();
});
