import type { Move } from "../verify/record";
import type { Position } from "../verify/rules/position";

/** The turns that are stepped through: those that were played, or others from some turn on. Never changes. */
export interface Line {
  readonly start: Position;
  readonly played: readonly Move[];
  readonly moves: readonly Move[];
  /** The number of moves before the position that is shown. */
  readonly at: number;
}

export const startLine = (start: Position, played: readonly Move[], at: number): Line => stepTo({ start, played, moves: played, at: 0 }, at);

export const stepTo = (line: Line, at: number): Line => ({ ...line, at: Math.max(0, Math.min(line.moves.length, at)) });

export const isSame = (one: Move | undefined, other: Move | undefined): boolean => one !== undefined && other !== undefined && one.red === other.red && one.yellow === other.yellow;

/** The turn from which the line differs from what was played, as far as it is shown; null if it doesn't. */
export function leavesAt({ played, moves, at }: Line): number | null {
  const index = moves.slice(0, at).findIndex((move, turn) => !isSame(move, played[turn]));
  return index < 0 ? null : index;
}

/** Plays a turn. What was played is kept: the same turn again continues there. */
export function tryMove(line: Line, move: Move): Line {
  const tried = [...line.moves.slice(0, line.at), move];
  const continues = (known: readonly Move[]) => tried.every((each, turn) => isSame(each, known[turn]));
  const moves = [line.played, line.moves].find(continues) ?? tried;
  return { ...line, moves, at: line.at + 1 };
}

export const returnToPlayed = (line: Line): Line => ({ ...line, moves: line.played, at: leavesAt(line) ?? Math.min(line.at, line.played.length) });

export const linePosition = ({ start, moves, at }: Line): Position => moves.slice(0, at).reduce((position, move) => position.play(move), start);
