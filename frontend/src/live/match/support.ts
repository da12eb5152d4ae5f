import type { SideTally } from "../../protocol";

/** The number of ballots for the pick in the last round, and of all ballots that still counted in it. */
export function support({ counts, ballots, pick, rounds }: SideTally): readonly [votes: number, of: number] {
  const last = rounds?.[rounds.length - 1];
  const votes = (last ?? counts)[pick! - 1] ?? 0;
  return [votes, last ? last.reduce((sum, count) => sum + count, 0) : ballots];
}
