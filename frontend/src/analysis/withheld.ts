import { exchanged, mirrored, type SolverPosition } from "../verify/bots/position";

export type Balls = Pick<SolverPosition, "columns" | "red" | "yellow">;

/**
 * Whether a position must not be analyzed while people vote on the position `live`: it is that one, or all of its balls
 * may still be added, since from the positions after the turn one could infer which pick is good. A mirror image and
 * exchanged colors make no difference.
 */
export function isWithheld(position: SolverPosition, live: Balls | null): boolean {
  if (!live || live.columns !== position.columns) return false;
  const same = [position, mirrored(position)];
  return [...same, ...same.map(exchanged)].some(({ red, yellow }) => (red & live.red) === live.red && (yellow & live.yellow) === live.yellow);
}
