import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { ServerClock } from "./clock";

const HERE = 1_000_000;
const AHEAD = 50_000;

mock.timers.enable({ apis: ["Date"], now: HERE });

function inStep(): ServerClock {
  const clock = new ServerClock();
  clock.estimate(HERE + AHEAD);
  for (const trip of [4, 20, 30]) clock.hear(HERE - trip, HERE + AHEAD - trip / 2);
  return clock;
}

for (const step of [300_000, -300_000]) {
  test(`a clock set by ${step} ms is followed at the first answer, even a slow one`, () => {
    const clock = inStep();
    clock.hear(HERE - 200, HERE + AHEAD + step - 100);
    assert.equal(clock.now(), HERE + AHEAD + step);
  });
}

test("an answer that took long says nothing against the clock", () => {
  const clock = inStep();
  clock.hear(HERE - 9000, HERE + AHEAD - 9000);
  assert.equal(clock.now(), HERE + AHEAD);
});

test("what is told at its time fits, what is told by another clock does not", () => {
  const clock = inStep();
  assert.equal(clock.wasSet(HERE + AHEAD - 500, HERE, HERE), false);
  assert.equal(clock.wasSet(HERE + AHEAD + 300_000, HERE, HERE), true);
  assert.equal(clock.wasSet(HERE + AHEAD - 300_000, HERE, HERE), true);
});
