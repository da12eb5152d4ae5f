import type { SideTally } from "../../protocol";

/** How many ballots were with the pick in the end, and of how many that said something still. */
export function support({ counts, ballots, pick, rounds }: SideTally): readonly [votes: number, of: number] {
  const last = rounds?.[rounds.length - 1];
  const votes = (last ?? counts)[pick! - 1] ?? 0;
  return [votes, last ? last.reduce((sum, count) => sum + count, 0) : ballots];
}
