import assert from "node:assert/strict";
import test, { afterEach, mock } from "node:test";
import { Cheering } from "./cheering";

Object.assign(globalThis, { window: globalThis });

afterEach(() => mock.timers.reset());

const A_SECOND_MS = 1000;
const MOST_A_SECOND = 4;

function thumb(): { cheering: Cheering; sent: number[] } {
  const sent: number[] = [];
  return { cheering: new Cheering(({ presses }) => sent.push(presses), () => undefined), sent };
}

test("the first tap is sent at once, the others in a batch, and nothing after the last", () => {
  mock.timers.enable();
  const { cheering, sent } = thumb();
  for (let press = 0; press < 5; press++) cheering.press();
  assert.deepEqual(sent, [1]);
  for (let ms = 0; ms < A_SECOND_MS; ms++) mock.timers.tick(1);
  assert.deepEqual(sent, [1, 4]);
  assert.equal(cheering.pressed, 0);
});

test("rapid taps stay within the gateway's rate limit", () => {
  mock.timers.enable();
  const { cheering, sent } = thumb();
  for (let ms = 0; ms < A_SECOND_MS; ms++) {
    cheering.press();
    mock.timers.tick(1);
  }
  assert.ok(sent.length <= MOST_A_SECOND, `${sent.length} messages a second`);
  assert.ok(Math.max(...sent) <= 20);
});
