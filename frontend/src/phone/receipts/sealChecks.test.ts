import assert from "node:assert/strict";
import test, { mock } from "node:test";
import type { EventState, TurnSealed } from "../../protocol";
import { SealChecks, type PublishedRoots, type SealCheck } from "./sealChecks";

Object.assign(globalThis, { window: globalThis });

const SOON_MS = 5000;
const CONFIRMED_MS = 30_000;
const ROOTS = ["1", "2", "3", "4", "5"].map((digit) => digit.repeat(64));
const ELSEWHERE = "0".repeat(64);
let codes = 0;

type Turns = { -readonly [key in keyof PublishedRoots["turns"][number]]: PublishedRoots["turns"][number][key] }[];

/** A phone that watches a match, and the server's record of it. Turn n has the id 10 * n and is sealed at 100 * n. */
class Watcher {
  check: SealCheck | null = null;
  asked: boolean[] = [];
  online = true;
  roots: { state: PublishedRoots["state"]; turns: Turns; draw_lot: string | null } = { state: "ended", turns: [], draw_lot: "draw" };
  code = `SEAL${++codes}`;
  checks = this.reload();

  /** A page that starts anew, with what the browser kept. */
  reload(): SealChecks {
    return new SealChecks(
      this.code,
      (check) => (this.check = check),
      (_code, _match, again) => {
        this.asked.push(again);
        return this.online ? Promise.resolve(structuredClone(this.roots)) : Promise.reject(new TypeError("offline"));
      },
    );
  }

  state(turn: object | null, reveal: object | null, more: object = {}): void {
    this.checks.follow({ match: { id: 1, number: 1, state: "playing", turn, reveal, ...more } } as unknown as EventState);
  }

  open(number: number, id = 10 * number): void {
    this.state({ id, number, lot: `lot ${id}` }, null);
  }

  seal(number: number, { id = 10 * number, at = 100 * number, root = ROOTS[number - 1]!, commitment = null as string | null } = {}): void {
    const roots = commitment ? { red: null, yellow: null } : { red: { root, ballots: 2, order: null }, yellow: { root: ROOTS[4]!, ballots: 2, order: null } };
    this.checks.sealed({ type: "turn.sealed", turn: id, at, turn_commitment: commitment, ...roots } as TurnSealed);
  }

  /** Turns 1 to `turns` are played; the record says the same. */
  play(turns: number): void {
    for (let number = 1; number <= turns; number++) {
      this.open(number);
      this.seal(number);
      this.reveal(number);
      this.roots.turns.push({ turn: 10 * number, lot: `lot ${10 * number}`, sealed_at: 100 * number, seals: [{ at: 100 * number, red: ROOTS[number - 1]!, yellow: ROOTS[4]! }] });
    }
  }

  reveal(number: number, more: object = {}): void {
    this.state(null, { turn: 10 * number, number, sealed_at: 100 * number, concealed: null, ...more });
  }

  end(state = "ended"): void {
    this.state(null, null, { state });
  }

  async wait(ms: number): Promise<void> {
    for (let step = 0; step < 3; step++) {
      mock.timers.tick(ms / 3);
      for (let n = 0; n < 5; n++) await Promise.resolve();
    }
  }

  /** What the phone says some time after the match. */
  async said(ms = CONFIRMED_MS): Promise<SealCheck | null> {
    this.end();
    await this.wait(ms);
    return this.check;
  }
}

test.beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
test.afterEach(() => mock.timers.reset());

test("an honest record matches all seals, with one request after the match", async () => {
  const phone = new Watcher();
  phone.play(3);
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.asked, []);
  assert.deepEqual(await phone.said(SOON_MS), { matching: 3, differing: [] });
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.asked, [false]);
});

const tricks: { [trick: string]: (turns: Turns) => unknown } = {
  "another root": (turns) => (turns[1]!.seals = [{ ...turns[1]!.seals[0]!, red: ELSEWHERE }]),
  "a root of the other side": (turns) => (turns[1]!.seals = [{ ...turns[1]!.seals[0]!, yellow: ELSEWHERE }]),
  "another draw": (turns) => (turns[1]!.lot = "lot of its choice"),
  "a turn left out": (turns) => turns.splice(1, 1),
  "another time for a turn that was revealed": (turns) => Object.assign(turns[1]!, { sealed_at: 201, seals: [{ at: 201, red: ELSEWHERE, yellow: ROOTS[4]! }] }),
  "the seal said to be void": (turns) => Object.assign(turns[1]!, { sealed_at: 201, seals: [...turns[1]!.seals, { at: 201, red: ELSEWHERE, yellow: ROOTS[4]! }] }),
};

for (const [trick, alter] of Object.entries(tricks)) {
  test(`a record with ${trick} is confirmed by a second request, then reported`, async () => {
    const phone = new Watcher();
    phone.play(3);
    alter(phone.roots.turns);
    assert.equal(await phone.said(SOON_MS), null);
    await phone.wait(CONFIRMED_MS);
    assert.deepEqual(phone.check, { matching: 2, differing: [2] });
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
  assert.deepEqual(phone.check, { matching: 3, differing: [] });
  phone.check = null;
  phone.checks = phone.reload();
  phone.roots.state = "playing";
  await phone.said(SOON_MS);
  phone.roots.state = "ended";
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.check, { matching: 3, differing: [] });
});

test("with secret sides the commitments of the turns are compared", async () => {
  for (const published of [ROOTS[0]!, ELSEWHERE]) {
    const phone = new Watcher();
    phone.open(1);
    phone.seal(1, { commitment: ROOTS[0]! });
    phone.reveal(1);
    phone.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: [{ at: 100, turn_commitment: published }] }];
    assert.deepEqual(await phone.said(), published === ROOTS[0] ? { matching: 1, differing: [] } : { matching: 0, differing: [1] });
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
    assert.deepEqual(await phone.said(), red === ROOTS[0] ? { matching: 2, differing: [] } : { matching: 1, differing: [1] });
  }
});

test("a void turn of which the server kept no seal is not compared", async () => {
  const phone = new Watcher();
  phone.play(1);
  phone.roots.turns = [{ turn: 10, lot: "lot 10", seals: [] }];
  assert.deepEqual(await phone.said(), { matching: 0, differing: [] });
});

test("time added after the seal raises no alarm, whether or not the server kept the void seal", async () => {
  for (const kept of [true, false]) {
    const phone = new Watcher();
    phone.open(1);
    phone.seal(1, { at: 90, root: ROOTS[1]! });
    phone.seal(1);
    phone.reveal(1);
    const [void_seal, seal] = [{ at: 90, red: ROOTS[1]!, yellow: ROOTS[4]! }, { at: 100, red: ROOTS[0]!, yellow: ROOTS[4]! }];
    phone.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: kept ? [void_seal, seal] : [seal] }];
    assert.deepEqual(await phone.said(), { matching: kept ? 2 : 1, differing: [] });
  }
});

test("a side that was not to move has no root", async () => {
  const phone = new Watcher();
  phone.open(1);
  phone.checks.sealed({ type: "turn.sealed", turn: 10, at: 100, red: { root: ROOTS[0]!, ballots: 1, order: null }, yellow: null, turn_commitment: null });
  phone.roots.turns = [{ turn: 10, lot: "lot 10", sealed_at: 100, seals: [{ at: 100, red: ROOTS[0]! }] }];
  assert.deepEqual(await phone.said(), { matching: 1, differing: [] });
});

test("the seals of a turn and the one concealed before it are compared", async () => {
  const phone = new Watcher();
  phone.play(1);
  phone.open(2);
  phone.seal(2);
  const concealed = { turn: 10, number: 1, side: "red", sealed_at: 100, root: ROOTS[0]!, ballots: 1, seed: null };
  phone.reveal(2, { concealed });
  phone.roots.turns.push({ turn: 20, lot: "lot 20", sealed_at: 201, seals: [] });
  assert.deepEqual(await phone.said(), { matching: 1, differing: [2] });
});

test("the draw at the start is compared by phones that were there before it", async () => {
  for (const [lot, before, expected] of [["draw", 0, []], ["another", 0, [1]], ["another", null, []], ["another", -1, []]] as const) {
    const phone = new Watcher();
    if (before !== null) phone.checks.follow({ next_lot: lot, match: before ? { id: 9, number: before, state: "ended", turn: null, reveal: null } : null } as unknown as EventState);
    phone.play(1);
    assert.deepEqual(await phone.said(), { matching: 1, differing: expected }, `${lot} ${before}`);
  }
});

test("a phone that is offline tries again, and a few times only", async () => {
  const phone = new Watcher();
  phone.play(1);
  phone.online = false;
  assert.equal(await phone.said(SOON_MS), null);
  phone.online = true;
  await phone.wait(CONFIRMED_MS);
  assert.deepEqual(phone.check, { matching: 1, differing: [] });
  const other = new Watcher();
  other.play(1);
  other.online = false;
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

test("a match that goes on, and the next one, are compared anew", async () => {
  const phone = new Watcher();
  phone.play(1);
  assert.deepEqual(await phone.said(), { matching: 1, differing: [] });
  phone.open(1, 11);
  assert.equal(phone.check, null);
  phone.checks.follow({ match: { id: 2, number: 2, state: "playing", turn: null, reveal: null } } as unknown as EventState);
  phone.checks.follow({ match: { id: 2, number: 2, state: "aborted", turn: null, reveal: null } } as unknown as EventState);
  await phone.wait(CONFIRMED_MS);
  assert.equal(phone.check, null);
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
