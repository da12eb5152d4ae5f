import assert from "node:assert/strict";
import test from "node:test";
import { CloseCode } from "../../protocol";
import { nextHeartbeatMs, retryAfter, waitAfterWake, type Retry } from "./reconnect";

const EARLIEST = () => 0;
const LATEST = () => 1;
const HALF = () => 0.5;

function wait(retry: Retry): number {
  if (retry.state === "away") throw new Error(`stays away: ${retry.code}`);
  return retry.waitMs;
}

test("retry delays double up to a limit, with full jitter", () => {
  const losses = [0, 1, 2, 3, 4, 5, 12].map((attempt) => ({ code: 1006, attempt, withinMs: null }));
  assert.deepEqual(losses.map((loss) => wait(retryAfter(loss, LATEST))), [500, 1000, 2000, 4000, 8000, 8000, 8000]);
  assert.deepEqual(new Set(losses.map((loss) => wait(retryAfter(loss, EARLIEST)))), new Set([0]));
});

test("a delay from the server overrides the backoff", () => {
  for (const code of [CloseCode.TOO_SLOW, CloseCode.RESTARTING, CloseCode.CROWDED, 1006]) {
    const retry = retryAfter({ code, attempt: 7, withinMs: 20_000 }, HALF);
    assert.equal(wait(retry), 10_000);
    assert.ok(retry.state !== "away" && retry.fromServer);
  }
});

test("the delay from the server is limited to 30 seconds", () => {
  const loss = { code: CloseCode.CROWDED, attempt: 0, withinMs: 239_000 };
  assert.equal(wait(retryAfter(loss, LATEST)), 30_000);
});

test("only a crowded event is reported as such to the user", () => {
  const states = Object.values(CloseCode).map((code) => [code, retryAfter({ code, attempt: 0, withinMs: 10 }, HALF).state]);
  for (const [code, state] of states) {
    assert.equal(state, Number(code) >= 4500 ? "away" : code === CloseCode.CROWDED ? "crowded" : "lost", `${code}`);
  }
});

test("permanent close codes are never retried", () => {
  assert.deepEqual(retryAfter({ code: CloseCode.OPEN_ELSEWHERE, attempt: 0, withinMs: 5 }, HALF), {
    state: "away",
    code: CloseCode.OPEN_ELSEWHERE,
  });
});

test("a phone that wakes reconnects at once with jitter, and never later than planned", () => {
  assert.equal(waitAfterWake(8000, false, EARLIEST), 0);
  assert.ok(waitAfterWake(8000, false, LATEST) <= 500);
  assert.equal(waitAfterWake(100, false, LATEST), 100);
});

test("a delay from the server is kept after waking, and an expired one reconnects at once", () => {
  assert.equal(waitAfterWake(20_000, true, EARLIEST), 20_000);
  assert.equal(waitAfterWake(-90_000, true, LATEST), 0);
  assert.equal(waitAfterWake(-90_000, false, LATEST), 0);
});

test("heartbeats are spread over several seconds", () => {
  assert.deepEqual([EARLIEST, HALF, LATEST].map(nextHeartbeatMs), [12_000, 15_000, 18_000]);
});
