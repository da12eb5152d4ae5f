import assert from "node:assert/strict";
import test, { mock } from "node:test";
import "../../live/connection/fakeStopwatch";
import { BallotTimer } from "./ballotTimer";
import { NO_BALLOT, type BallotStatus } from "./ballot";

const HERE = 1_000_000;
const SERVER_TIME = 5_000_000;

/** A timer whose times are recorded, as soon as the deferred bundle is loaded. */
async function newTimer() {
  mock.timers.enable({ apis: ["Date"], now: HERE });
  const samples: [number, number][] = [];
  const timer = new BallotTimer({ addSample: (sent: number, nowAt: number) => samples.push([sent - HERE, nowAt]) } as never);
  const hold = (sequence: number, status: BallotStatus = "sending", turn = 1) => timer.hold({ ...NO_BALLOT, turn, sequence, status });
  const counted = (sequence: number, now_at = SERVER_TIME, turn = 1) => timer.counted({ type: "ballot.counted", turn, choice: 1, sequence, now_at });
  return { samples, hold, counted, pass: (ms: number) => mock.timers.tick(ms) };
}

test("a quick acknowledgment passes on the server's time, with the time of the ballot's first sending", async (context) => {
  context.after(() => mock.timers.reset());
  const { samples, hold, counted, pass } = await newTimer();
  hold(1);
  pass(30);
  counted(1);
  hold(1, "counted");
  hold(1, "sending", 2);
  counted(1);
  assert.deepEqual(samples, [[0, SERVER_TIME]]);
  counted(1, SERVER_TIME + 1, 2);
  assert.deepEqual(samples.slice(1), [[30, SERVER_TIME + 1]]);
  hold(2, "sending", 2);
  pass(2000);
  hold(2, "sending", 2);
  pass(20);
  counted(2, SERVER_TIME + 2, 2);
  assert.equal(samples.length, 2, "which sending was answered is unknown");
});

test("an acknowledgment of an earlier ballot, or without a time, is ignored", async (context) => {
  context.after(() => mock.timers.reset());
  const { samples, hold, counted } = await newTimer();
  hold(1);
  hold(2);
  counted(1);
  counted(2, 0);
  assert.deepEqual(samples, []);
});

test("ballots from before the deferred bundle was loaded are ignored", async (context) => {
  context.after(() => mock.timers.reset());
  mock.timers.enable({ apis: ["Date"], now: HERE });
  const samples: number[] = [];
  const timer = new BallotTimer({ addSample: (sent: number) => samples.push(sent) } as never);
  timer.hold({ ...NO_BALLOT, turn: 1, sequence: 1, status: "sending" });
  timer.counted({ type: "ballot.counted", turn: 1, choice: 1, sequence: 1, now_at: SERVER_TIME });
  await Promise.resolve();
  timer.counted({ type: "ballot.counted", turn: 1, choice: 1, sequence: 1, now_at: SERVER_TIME });
  assert.deepEqual(samples, []);
});
