import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { ServerClock } from "./clock";
import { setDeviceClock } from "./fakeStopwatch";

const HERE = 1_000_000;
const AHEAD = 50_000;

mock.timers.enable({ apis: ["Date"], now: HERE });

function syncedClock(): ServerClock {
  const clock = new ServerClock();
  clock.estimate(HERE + AHEAD);
  for (const roundTripMs of [4, 20, 30]) clock.addSample(HERE - roundTripMs, HERE + AHEAD - roundTripMs / 2);
  return clock;
}

for (const step of [300_000, -300_000]) {
  test(`a clock change of ${step} ms is applied at the first answer, even a slow one`, () => {
    const clock = syncedClock();
    clock.addSample(HERE - 200, HERE + AHEAD + step - 100);
    assert.equal(clock.now(), HERE + AHEAD + step);
  });
}

for (const step of [300_000, -300_000]) {
  test(`the server's time goes on after the device's clock is set by ${step} ms`, (context) => {
    const clock = syncedClock();
    setDeviceClock(step);
    context.after(() => setDeviceClock(-step));
    assert.equal(clock.now(), HERE + AHEAD);
  });
}

test("a slow answer does not change the clock", () => {
  const clock = syncedClock();
  clock.addSample(HERE - 9000, HERE + AHEAD - 9000);
  assert.equal(clock.now(), HERE + AHEAD);
});

test("hasJumped detects messages of a clock that was set", () => {
  const clock = syncedClock();
  assert.equal(clock.hasJumped(HERE + AHEAD - 500, HERE, HERE), false);
  assert.equal(clock.hasJumped(HERE + AHEAD + 300_000, HERE, HERE), true);
  assert.equal(clock.hasJumped(HERE + AHEAD - 300_000, HERE, HERE), true);
});

test("the estimate stays fresh for less than a minute, and not at all after a slow round trip", () => {
  const clock = new ServerClock();
  const isFresh = (afterMs: number) => HERE + afterMs < clock.freshUntil;
  assert.equal(isFresh(0), false);
  clock.addSample(HERE - 400, HERE + AHEAD);
  assert.equal(isFresh(0), false);
  clock.addSample(HERE - 20, HERE + AHEAD);
  assert.deepEqual([40_000, 45_000].map(isFresh), [true, false]);
  clock.estimate(HERE + AHEAD);
  assert.equal(isFresh(0), false);
});
