import { ARRIVAL, MAX_ARRIVALS } from "./limits";

/** Particles that rise together: their indexes, and their age in seconds. */
export interface Arrival {
  from: number;
  to: number;
  age: number;
}

interface Update {
  from: number;
  to: number;
  at: number;
}

/** Which of a team's particles have just arrived, from the turnout of each second. `at` is in seconds. */
export class Arrivals {
  private turn: number | null = null;
  private number = 0;
  private updates: Update[] = [];

  /** Votes that were already there when the page loaded do not rise. */
  count(turn: number | null, number: number, at: number): void {
    if (turn !== this.turn) {
      this.turn = turn;
      this.updates = [];
    } else if (number < this.number) this.updates = [];
    else if (number > this.number) this.updates = [...this.updates, { from: this.number, to: number, at }].slice(-MAX_ARRIVALS);
    this.number = number;
  }

  rising(at: number): Arrival[] {
    return this.updates.filter((update) => at - update.at < ARRIVAL.spread + ARRIVAL.rise).map(({ from, to, at: began }) => ({ from, to, age: at - began }));
  }
}
