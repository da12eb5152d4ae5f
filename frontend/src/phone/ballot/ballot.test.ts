import assert from "node:assert/strict";
import test, { mock } from "node:test";
import "../../live/connection/fakeStopwatch";
import fc from "fast-check";
import type { BallotCast, Turn, You } from "../../protocol";
import { BallotKeeper } from "./ballot";

Object.assign(globalThis, { window: globalThis });

const QUIET_MS = 10_000;

type Held = { choice: number; sequence: number; blind: string | null };

/**
 * One voter's ballot box behind an unreliable network. A lost box answers "unknown" until it is restored with the
 * next epoch.
 */
class BallotNetwork {
  held: Held | null = null;
  copy: Held | null = null;
  lost = false;
  epoch = 1;
  away = false;
  deaf = 0;
  keeper = new BallotKeeper(
    (message) => this.receive(message),
    () => undefined,
    () => undefined,
  );

  constructor() {
    this.keeper.follow(this.turn);
  }

  get turn(): Turn {
    return { id: 7, epoch: this.epoch } as Turn;
  }

  get you(): You {
    const { choice, sequence, blind } = this.held ?? { choice: null, sequence: 0, blind: null };
    return { token: "", team: 1, turn: this.held ? 7 : null, choice, sequence, blind, voter_code: "", side_changes: [] };
  }

  /** The next `deaf` frames, in either direction, are lost. */
  private passes(): boolean {
    this.deaf -= Number(this.deaf > 0);
    return !this.away && this.deaf === 0;
  }

  private receive(cast: BallotCast): void {
    if (!this.passes()) return;
    const answer = this.answer(cast);
    if (this.passes()) answer();
  }

  private answer({ turn, epoch, choice, sequence, blind }: BallotCast): () => void {
    const refuse = (code: "unknown" | "stale", last = 0) => () =>
      this.keeper.refused({ type: "ballot.refused", turn, sequence, code, last });
    if (this.lost || epoch > this.epoch) return refuse("unknown");
    const { held } = this;
    const again = held?.sequence === sequence && held.choice === choice;
    if (!again && held && held.sequence >= sequence) return refuse("stale", held.sequence);
    if (!again) this.held = { choice, sequence, blind: blind ?? null };
    return () => this.keeper.counted({ type: "ballot.counted", turn, choice, sequence, now_at: Date.now() });
  }

  restore(): void {
    if (!this.lost) return;
    this.lost = false;
    this.epoch += 1;
    if (!this.away) this.keeper.follow(this.turn);
  }

  comeBack(): void {
    this.away = false;
    this.keeper.follow(this.turn);
    this.keeper.welcome(this.you);
    this.keeper.follow(this.turn);
  }

  do(step: string, number: number): void {
    if (step === "press") this.keeper.cast((number % 7) + 1);
    else if (step === "copy") this.copy = this.held;
    else if (step === "emptied" || step === "older") {
      this.held = step === "older" ? this.copy : null;
      this.lost = true;
    } else if (step === "restore") this.restore();
    else if (step === "older, unnoticed") {
      this.held = this.copy;
      this.away = true; // the gateway that would have noticed is gone with the connection
    } else if (step === "deaf") this.deaf = (number % 4) + 1;
    else if (step === "away") this.away = true;
    else if (step === "back") this.comeBack();
    else mock.timers.tick(number * 100);
  }
}

const weighted = (weight: number, ...steps: string[]) => ({ weight, arbitrary: fc.constantFrom(...steps) });
const STEPS = fc.oneof(weighted(5, "press"), weighted(6, "copy", "restore", "back", "time"), weighted(4, "emptied", "older", "older, unnoticed", "deaf", "away"));
const LAST = fc.constantFrom("older", "older, unnoticed", "emptied", "away", "time");

test("the last vote counts in the end, despite lost frames and lost ballot boxes", () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_800_000_000_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(STEPS, fc.nat(40)), { maxLength: 40, size: "max" }), LAST, (happened, last) => {
      const network = new BallotNetwork();
      let pressed: number | null = null;
      for (const [step, number] of happened) {
        if (step === "press") pressed = (number % 7) + 1;
        network.do(step, number);
      }
      network.deaf = 0;
      network.do(last, 20);
      network.restore();
      if (network.away) network.comeBack();
      for (let ms = 0; ms < QUIET_MS; ms += 100) mock.timers.tick(100);
      const { choice, status, blind } = network.keeper.ballot;
      assert.equal(choice, pressed);
      assert.equal(network.held?.choice ?? null, pressed);
      if (pressed === null) return;
      assert.equal(status, "counted");
      assert.equal(network.held?.blind, blind);
      mock.timers.tick(QUIET_MS);
    }),
    { numRuns: 2000 },
  );
  mock.timers.reset();
});

test("a later vote of another device is marked as such until this device votes again", () => {
  const keeper = new BallotKeeper(() => undefined, () => undefined, () => undefined);
  const you = { token: "", team: 1, turn: 7, choice: 2, sequence: 3, blind: "6".repeat(32), voter_code: "", side_changes: [] };
  keeper.follow({ id: 7, epoch: 1 } as Turn);
  keeper.cast(4);
  keeper.welcome({ ...you, choice: 4, sequence: 1, blind: keeper.ballot.blind }, false);
  assert.equal(keeper.ballot.elsewhere, false, "its own vote, whatever is stored");
  keeper.welcome({ ...you, sequence: 2, blind: "7".repeat(32) }, true);
  assert.equal(keeper.ballot.elsewhere, false, "from another window of this device");
  keeper.welcome(you, false);
  assert.deepEqual([keeper.ballot.choice, keeper.ballot.status, keeper.ballot.elsewhere], [2, "counted", true]);
  keeper.cast(5);
  assert.deepEqual([keeper.ballot.sequence, keeper.ballot.elsewhere], [4, false]);
  keeper.follow(null);
});

test("a vote before the first welcome overrides the stored ballot", () => {
  const sent: BallotCast[] = [];
  const keeper = new BallotKeeper((cast) => sent.push(cast), () => undefined, () => undefined);
  keeper.follow({ id: 7, epoch: 1 } as Turn);
  keeper.cast(4);
  keeper.raiseSequence(3);
  keeper.welcome({ turn: 7, choice: 2, sequence: 3, blind: "6".repeat(32) });
  const { choice, sequence, heldChoice, status } = keeper.ballot;
  assert.deepEqual([choice, sequence, heldChoice, status], [4, 4, 2, "sending"]);
  keeper.follow(null);
});

test("an unanswered ballot is sent again after 2 s, then every 6 s", () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_800_000_000_000 });
  const began = Date.now();
  const sentAt: number[] = [];
  const keeper = new BallotKeeper(() => sentAt.push(Date.now() - began), () => undefined, () => undefined);
  keeper.follow({ id: 7, epoch: 1 } as Turn);
  keeper.cast(4);
  for (let ms = 0; ms < 15_000; ms += 500) mock.timers.tick(500);
  keeper.cast(5);
  for (let ms = 0; ms < 2000; ms += 500) mock.timers.tick(500);
  keeper.follow(null);
  assert.deepEqual(sentAt, [0, 2000, 8000, 14_000, 15_000, 17_000]);
  mock.timers.reset();
});
