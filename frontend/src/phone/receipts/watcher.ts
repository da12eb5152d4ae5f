import { mock } from "node:test";
import type { EventState, TurnSealed } from "../../protocol";
import { SealChecks, type PublishedRoots, type SealCheck } from "./sealChecks";

Object.assign(globalThis, { window: globalThis });

export const SOON_MS = 5000;
export const CONFIRMED_MS = 30_000;
export const ROOTS = ["1", "2", "3", "4", "5"].map((digit) => digit.repeat(64));
export const ELSEWHERE = "0".repeat(64);
export const HONEST: SealCheck = { matching: 0, differing: [], unexplained: [], time_added: [], box_lost: [], log: "logged" };
let codes = 0;

export type Turns = { -readonly [key in keyof PublishedRoots["turns"][number]]: PublishedRoots["turns"][number][key] }[];

/** A phone that watches a match, and the server's record of it. Turn n has the id 10 * n and is sealed at 100 * n. */
export class Watcher {
  check: SealCheck | null = null;
  asked: boolean[] = [];
  online = true;
  log: SealCheck["log"] = "logged";
  roots: { state: PublishedRoots["state"]; turns: Turns; draw_lot: string | null } = { state: "ended", turns: [], draw_lot: "draw" };
  code = `SEAL${++codes}`;
  seq = 0;
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
      () => Promise.resolve(this.log),
    );
  }

  state(turn: object | null, reveal: object | null, more: object = {}): void {
    this.checks.follow({ match: { id: 1, number: 1, state: "playing", turn, reveal, ...more } } as unknown as EventState, ++this.seq);
  }

  open(number: number, id = 10 * number, { closes_at = 80 + 100 * (number - 1), epoch = 1 } = {}): void {
    this.state({ id, number, lot: `lot ${id}`, closes_at, epoch }, null);
  }

  seal(number: number, { id = 10 * number, at = 100 * number, epoch = 1, root = ROOTS[number - 1]!, commitment = null as string | null } = {}): void {
    const roots = commitment ? { red: null, yellow: null } : { red: { root, ballots: 2, order: null }, yellow: { root: ROOTS[4]!, ballots: 2, order: null } };
    this.checks.sealed({ type: "turn.sealed", turn: id, at, epoch, turn_commitment: commitment, ...roots } as TurnSealed);
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
