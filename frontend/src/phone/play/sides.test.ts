import assert from "node:assert/strict";
import test, { afterEach, beforeEach, mock } from "node:test";
import type { EventState, SideChangeAsk } from "../../protocol";
import type { PhoneScreen } from "../phoneScreen";
import { sideChangeUpdate, runSideAction } from "./sides";

/** A phone of team 1 between two turns, and what it sends. */
class Voter {
  readonly sent: SideChangeAsk[] = [];
  private voter = { team: 1, sideChanges: [] as { turn: number; team: number }[], sideRefused: false };
  private turn = 2;
  private readonly screen = {
    redraw: () => undefined,
    seated: {
      store: { get: () => ({ event: this.event }) },
      voter: { get: () => this.voter, set: (part: object) => void Object.assign(this.voter, part) },
      socket: { send: (message: SideChangeAsk) => this.sent.push(message) },
    },
  } as unknown as PhoneScreen;

  private get event(): EventState {
    return { match: { max_side_changes: 2, red: 1, turn: { id: this.turn * 10, number: this.turn } } } as unknown as EventState;
  }

  cross(): void {
    runSideAction("side", this.screen);
    runSideAction("cross", this.screen);
  }

  next(): void {
    this.turn++;
  }

  refused(code: "busy" | "window_open"): void {
    Object.assign(this.voter, sideChangeUpdate({ type: "side.refused", number: 1, code }));
  }

  changed(...changes: { turn: number; team: number }[]): void {
    Object.assign(this.voter, sideChangeUpdate({ type: "side.changed", side_changes: changes }));
  }

  asked(): string[] {
    return this.sent.map(({ turn, number, team }) => `${turn}: ${number} to ${team}`);
  }
}

beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => mock.timers.reset());
Object.assign(globalThis, { window: globalThis, document: { querySelector: () => null } });

test("a side change is resent with the same blind until it is answered", () => {
  const voter = new Voter();
  voter.cross();
  for (const _ of [1, 2]) mock.timers.tick(2_000);
  assert.deepEqual(voter.asked(), ["20: 1 to 2", "20: 1 to 2", "20: 1 to 2"]);
  assert.equal(new Set(voter.sent.map(({ blind }) => blind)).size, 1);
  voter.refused("busy");
  mock.timers.tick(2_000);
  assert.equal(voter.sent.length, 4);
  voter.changed({ turn: 2, team: 2 });
  mock.timers.tick(20_000);
  assert.equal(voter.sent.length, 4);
});

test("a late side change can be repeated after the next turn", () => {
  const voter = new Voter();
  voter.cross();
  voter.refused("window_open");
  mock.timers.tick(20_000);
  assert.deepEqual(voter.asked(), ["20: 1 to 2"]);
  voter.next();
  voter.cross();
  mock.timers.tick(2_000);
  assert.deepEqual(voter.asked(), ["20: 1 to 2", "30: 1 to 2", "30: 1 to 2"]);
});

test("the second side change returns to the first side", () => {
  const voter = new Voter();
  voter.changed({ turn: 2, team: 2 });
  voter.next();
  voter.cross();
  assert.deepEqual(voter.asked(), ["30: 2 to 1"]);
});
