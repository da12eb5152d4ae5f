import assert from "node:assert/strict";
import test, { mock } from "node:test";
import type { Reopening } from "../../live/match/seals";
import type { EventState } from "../../protocol";
import type { SealCheck } from "./sealChecks";
import { CONFIRMED_MS, ELSEWHERE, HONEST, ROOTS, SOON_MS, Watcher, type Turns } from "./watcher";

test.beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
test.afterEach(() => mock.timers.reset());

test("an honest record matches all seals, with one request after the match", async () => {
  const phone = new Watcher();
  phone.play(3);
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.asked, []);
  assert.deepEqual(await phone.said(SOON_MS), { ...HONEST, matching: 3 });
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.asked, [false]);
});

const tricks: { [trick: string]: (turns: Turns) => unknown } = {
  "another root": (turns) => (turns[1]!.seals = [{ ...turns[1]!.seals[0]!, red: ELSEWHERE }]),
  "a root of the other side": (turns) => (turns[1]!.seals = [{ ...turns[1]!.seals[0]!, yellow: ELSEWHERE }]),
  "another draw": (turns) => (turns[1]!.lot = "lot of its choice"),
  "a turn left out": (turns) => turns.splice(1, 1),
  "another time for a turn that was revealed": (turns) => Object.assign(turns[1]!, { sealed_at: 201, seals: [{ at: 201, red: ELSEWHERE, yellow: ROOTS[4]! }] }),
  "the seal left out": (turns) => (turns[1]!.seals = []),
  "the seal said to be void": (turns) => Object.assign(turns[1]!, { sealed_at: 201, seals: [...turns[1]!.seals, { at: 201, red: ELSEWHERE, yellow: ROOTS[4]! }] }),
};

for (const [trick, alter] of Object.entries(tricks)) {
  test(`a record with ${trick} is confirmed by a second request, then reported`, async () => {
    const phone = new Watcher();
    phone.play(3);
    alter(phone.roots.turns);
    assert.equal(await phone.said(SOON_MS), null);
    await phone.wait(CONFIRMED_MS);
    assert.deepEqual(phone.check, { ...HONEST, matching: 2, differing: [2] });
    assert.deepEqual(phone.asked, [false, true]);
  });
}

test("an outdated answer is no difference", async () => {
  const phone = new Watcher();
  phone.play(3);
  const last = phone.roots.turns.pop()!;
  await phone.said(SOON_MS);
  phone.roots.turns.push(last);
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.check, { ...HONEST, matching: 3 });
  phone.check = null;
  phone.checks = phone.reload();
  phone.roots.state = "playing";
  await phone.said(SOON_MS);
  phone.roots.state = "ended";
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.check, { ...HONEST, matching: 3 });
});

test("with secret sides the commitments of the turns are compared", async () => {
  for (const published of [ROOTS[0]!, ELSEWHERE]) {
    const phone = new Watcher();
    phone.open(1);
    phone.seal(1, { commitment: ROOTS[0]! });
    phone.reveal(1);
    phone.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: [{ at: 100, turn_commitment: published }] }];
    assert.deepEqual(await phone.said(), published === ROOTS[0] ? { ...HONEST, matching: 1 } : { ...HONEST, matching: 0, differing: [1] });
  }
});

test("a void turn raises no alarm, unless its seal differs", async () => {
  for (const red of [ROOTS[0]!, ELSEWHERE]) {
    const phone = new Watcher();
    phone.play(1);
    phone.open(1, 11);
    phone.seal(1, { id: 11, at: 150, root: ROOTS[1]! });
    phone.roots.turns = [
      { turn: 10, lot: "lot 10", seals: [{ at: 100, red, yellow: ROOTS[4]! }] },
      { turn: 11, lot: "lot 11", sealed_at: 150, seals: [{ at: 150, red: ROOTS[1]!, yellow: ROOTS[4]! }] },
    ];
    assert.deepEqual(await phone.said(), red === ROOTS[0] ? { ...HONEST, matching: 2 } : { ...HONEST, matching: 1, differing: [1] });
  }
});

/** The first turn is sealed at 90 and again at 100. */
class Resealed extends Watcher {
  constructor(between: (phone: Watcher) => void, { listed = true, received = true, epoch = 1 } = {}) {
    super();
    this.open(1);
    this.seal(1, { at: 90, root: ROOTS[1]! });
    between(this);
    if (received) this.seal(1, { epoch });
    this.reveal(1);
    const [void_seal, seal] = [{ at: 90, red: ROOTS[1]!, yellow: ROOTS[4]! }, { at: 100, red: ROOTS[0]!, yellow: ROOTS[4]! }];
    this.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: listed ? [void_seal, seal] : [seal] }];
  }
}

const reopenings: { [cause in "time_added" | "box_lost"]: { closes_at: number; epoch: number } } = { time_added: { closes_at: 95, epoch: 1 }, box_lost: { closes_at: 80, epoch: 2 } };

for (const [cause, turn] of Object.entries(reopenings)) {
  test(`a seal that was replaced after ${cause} raises no alarm, and the phone says why`, async () => {
    const phone = new Resealed((watcher) => watcher.open(1, 10, turn), { epoch: turn.epoch });
    assert.deepEqual(await phone.said(), { ...HONEST, matching: 2, [cause]: [1] });
  });
}

test("a seal of an epoch that has passed raises no alarm, though it comes late", async () => {
  const phone = new Watcher();
  phone.open(1, 10, { epoch: 2 });
  phone.seal(1, { at: 90, root: ROOTS[1]! });
  phone.seal(1, { epoch: 2 });
  phone.reveal(1);
  phone.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: [{ at: 90, red: ROOTS[1]!, yellow: ROOTS[4]! }, { at: 100, red: ROOTS[0]!, yellow: ROOTS[4]! }] }];
  assert.deepEqual(await phone.said(), { ...HONEST, matching: 2, box_lost: [1] });
});

const missed: { [change: string]: { void?: { reason: Reopening }; again?: boolean; is: Partial<SealCheck> } } = {
  "added time": { void: { reason: "time_added" }, is: { matching: 1, time_added: [1] } },
  "a lost ballot box": { void: { reason: "box_lost" }, is: { matching: 1, box_lost: [1] } },
  "no cause": { is: { unexplained: [1] } },
  "another turn in its place": { again: true, is: { matching: 1 } },
};

for (const isMissed of [true, false]) {
  for (const [change, { void: cause, again, is }] of Object.entries(missed)) {
    test(`a seal that ${change} voids is ${isMissed ? "judged by the record" : "reported"}, if the phone ${isMissed ? "missed" : "received"} all changes`, async () => {
      const phone = new Watcher();
      phone.open(1);
      phone.seal(1, { at: 90, root: ROOTS[1]! });
      phone.seq += isMissed ? 2 : 0;
      if (isMissed) phone.checks = phone.reload();
      phone.open(3);
      const [void_seal, seal] = [{ at: 90, red: ROOTS[1]!, yellow: ROOTS[4]!, void: cause ?? null }, { at: 100, red: ROOTS[0]!, yellow: ROOTS[4]! }];
      phone.roots.turns = again
        ? [{ turn: 10, lot: "lot 10", seals: [void_seal] }, { turn: 11, lot: "lot 11", sealed_at: 100, seals: [seal] }]
        : [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: [void_seal, seal] }];
      assert.deepEqual(await phone.said(), { ...HONEST, ...(isMissed ? is : { unexplained: [1] }) });
    });
  }
}

const unseen: { [between: string]: (phone: Watcher) => void } = {
  "without a new window": () => {},
  "after a deadline before the seal": (phone) => phone.open(1, 10, { closes_at: 85 }),
};

for (const [between, change] of Object.entries(unseen)) {
  for (const received of [true, false]) {
    test(`a seal replaced ${between} is reported, ${received ? "also if the phone got both" : "though the phone got only that one"}`, async () => {
      const phone = new Resealed(change, { received });
      assert.equal(await phone.said(SOON_MS), null);
      await phone.wait(CONFIRMED_MS);
      assert.deepEqual(phone.check, { ...HONEST, matching: received ? 1 : 0, unexplained: [1] });
    });
  }
}

test("a replaced seal that the record doesn't list is reported, though the phone saw why it is void", async () => {
  const phone = new Resealed((watcher) => watcher.open(1, 10, reopenings.time_added), { listed: false });
  assert.deepEqual(await phone.said(), { ...HONEST, matching: 1, differing: [1] });
});

test("another seal of the same time is reported", async () => {
  const phone = new Watcher();
  phone.open(1);
  phone.seal(1, { root: ROOTS[1]! });
  phone.seal(1);
  phone.reveal(1);
  phone.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: [{ at: 100, red: ROOTS[0]!, yellow: ROOTS[4]! }] }];
  assert.deepEqual(await phone.said(), { ...HONEST, matching: 1, differing: [1] });
});

test("a turn that the record voids is reported, if this phone didn't see it voted again", async () => {
  const phone = new Watcher();
  phone.play(2);
  phone.roots.turns = [{ turn: 10, lot: "lot 10", seals: [{ at: 100, red: ROOTS[0]!, yellow: ROOTS[4]! }] }, { turn: 15, lot: "lot 15", sealed_at: 150, seals: [] }, ...phone.roots.turns.slice(1)];
  assert.deepEqual(await phone.said(), { ...HONEST, matching: 1, unexplained: [1] });
});

test("the seal of a turn that was stopped with the match raises no alarm", async () => {
  const phone = new Watcher();
  phone.play(1);
  phone.open(2);
  phone.seal(2);
  phone.roots.turns.push({ turn: 20, lot: "lot 20", seals: [{ at: 200, red: ROOTS[1]!, yellow: ROOTS[4]! }] });
  phone.end("aborted");
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.check, { ...HONEST, matching: 2 });
});

test("a side that was not to move has no root", async () => {
  const phone = new Watcher();
  phone.open(1);
  phone.checks.sealed({ type: "turn.sealed", turn: 10, at: 100, epoch: 1, red: { root: ROOTS[0]!, ballots: 1, order: null }, yellow: null, turn_commitment: null });
  phone.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: [{ at: 100, red: ROOTS[0]! }] }];
  assert.deepEqual(await phone.said(), { ...HONEST, matching: 1 });
});

test("the seals of a turn and the one concealed before it are compared", async () => {
  const phone = new Watcher();
  phone.play(1);
  phone.open(2);
  phone.seal(2);
  const concealed = { turn: 10, number: 1, side: "red", sealed_at: 100, root: ROOTS[0]!, ballots: 1, seed: null };
  phone.reveal(2, { concealed });
  phone.roots.turns.push({ turn: 20, lot: "lot 20", sealed_at: 201, seals: [] });
  assert.deepEqual(await phone.said(), { ...HONEST, matching: 1, differing: [2] });
});

test("the draw at the start is compared by phones that were there before it", async () => {
  for (const [lot, before, expected] of [["draw", 0, []], ["another", 0, [1]], ["another", null, []], ["another", -1, []]] as const) {
    const phone = new Watcher();
    if (before !== null) phone.checks.follow({ next_lot: lot, match: before ? { id: 9, number: before, state: "ended", turn: null, reveal: null } : null } as unknown as EventState, ++phone.seq);
    phone.play(1);
    assert.deepEqual(await phone.said(), { ...HONEST, matching: 1, differing: expected }, `${lot} ${before}`);
  }
});

test("without its seal, a reveal binds the server as well", async () => {
  for (const red of [ROOTS[0]!, ELSEWHERE]) {
    const phone = new Watcher();
    phone.open(1);
    phone.reveal(1, { red: { root: ROOTS[0]! }, yellow: { root: ROOTS[4]! } });
    phone.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: [{ at: 100, red, yellow: ROOTS[4]! }] }];
    assert.deepEqual(await phone.said(), red === ROOTS[0] ? { ...HONEST, matching: 1 } : { ...HONEST, differing: [1] });
  }
});

test("a lot that was replaced while the turn was open is reported", async () => {
  const phone = new Watcher();
  phone.open(1);
  phone.checks = phone.reload();
  phone.state({ id: 10, number: 1, lot: "lot of its choice", closes_at: 80, epoch: 1 }, null);
  phone.seal(1);
  phone.reveal(1);
  phone.roots.turns = [{ turn: 10, lot: "lot of its choice", sealed_at: 100, seals: [{ at: 100, red: ROOTS[0]!, yellow: ROOTS[4]! }] }];
  assert.deepEqual(await phone.said(), { ...HONEST, differing: [1] });
});

test("a match that goes on, and the next one, are compared anew", async () => {
  const phone = new Watcher();
  phone.play(1);
  assert.deepEqual(await phone.said(), { ...HONEST, matching: 1 });
  phone.open(1, 11);
  assert.equal(phone.check, null);
  phone.checks.follow({ match: { id: 2, number: 2, state: "playing", turn: null, reveal: null } } as unknown as EventState, ++phone.seq);
  phone.checks.follow({ match: { id: 2, number: 2, state: "aborted", turn: null, reveal: null } } as unknown as EventState, ++phone.seq);
  await phone.wait(CONFIRMED_MS);
  assert.equal(phone.check, null);
});

