const RISES_S = 1.1;

/** The level of a turnout bar while its style sheet animates it. `at` is in seconds. */
export class SeaLevel {
  private from = 0;
  private to = 0;
  private began = -Infinity;

  rise(level: number, at: number): void {
    if (level === this.to) return;
    this.from = this.at(at);
    this.to = level;
    this.began = at;
  }

  at(at: number): number {
    const left = 1 - Math.min(1, (at - this.began) / RISES_S);
    return this.to + (this.from - this.to) * left ** 3;
  }
}
