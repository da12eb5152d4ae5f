import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { CONFIRMED_MS, HONEST, SOON_MS, Watcher } from "./watcher";

test.beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
test.afterEach(() => mock.timers.reset());

test("a log that differs is confirmed by a second request, then reported", async () => {
  const phone = new Watcher();
  phone.play(3);
  phone.log = "differs";
  assert.equal(await phone.said(SOON_MS), null);
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual([phone.check, phone.asked], [{ ...HONEST, matching: 3, log: "differs" }, [false, true]]);
});

test("a phone that is offline tries again, and a few times only", async () => {
  const phone = new Watcher();
  phone.play(1);
  phone.online = false;
  assert.equal(await phone.said(SOON_MS), null);
  phone.online = true;
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.check, { ...HONEST, matching: 1 });
  const other = new Watcher();
  other.play(1);
  other.online = false;
  other.end();
  for (let n = 0; n < 10; n++) await other.wait(CONFIRMED_MS);
  assert.equal(other.asked.length, 4);
});

test("a log that doesn't answer is asked again, a few times only", async () => {
  for (const differing of [[], [1]]) {
    const phone = new Watcher();
    phone.play(1);
    if (differing.length) phone.roots.turns[0]!.lot = "lot of its choice";
    const is = { ...HONEST, matching: 1 - differing.length, differing };
    phone.log = null;
    assert.deepEqual(await phone.said(differing.length ? 2 * CONFIRMED_MS : SOON_MS), { ...is, log: null });
    phone.log = "logged";
    await phone.wait(CONFIRMED_MS);
    assert.deepEqual(phone.check, is);
    const asked = phone.asked.length;
    await phone.wait(CONFIRMED_MS);
    assert.equal(phone.asked.length, asked);
  }
  const late = new Watcher();
  late.play(1);
  late.log = null;
  await late.said(SOON_MS);
  late.log = "differs";
  await late.wait(20_000);
  assert.deepEqual([late.check?.log, late.asked], [null, [false, false]], "its first difference isn't confirmed yet");
  await late.wait(CONFIRMED_MS);
  assert.deepEqual([late.check?.log, late.asked], ["differs", [false, false, true]]);
  const other = new Watcher();
  other.play(1);
  other.log = null;
  other.end();
  for (let n = 0; n < 10; n++) await other.wait(CONFIRMED_MS);
  assert.equal(other.asked.length, 4);
});

test("a phone without seals asks for nothing", async () => {
  const phone = new Watcher();
  phone.open(1);
  assert.equal(await phone.said(), null);
  assert.deepEqual(phone.asked, []);
});

test("the crowd asks over a longer time than a class", async () => {
  const phone = new Watcher();
  phone.play(1);
  mock.method(Math, "random", () => 0.99);
  phone.state(null, { turn: 10, number: 1, sealed_at: 100, concealed: null, red: { ballots: 25_000 }, yellow: { ballots: 25_000 } }, { state: "ended" });
  await phone.wait(90_000);
  assert.deepEqual(phone.asked, []);
  await phone.wait(30_000);
  assert.deepEqual(phone.asked, [false]);
  mock.restoreAll();
});
