import type { Json } from "../json";
import type { Side } from "../record";
import { other, type Position } from "../rules/position";

const BITS_PER_COLUMN = 7;
const ROWS = 6;

/** A board with one bit per cell: column c + 1 from bit 7c, the lowest cell first. */
export interface SolverPosition {
  readonly columns: number;
  readonly red: bigint;
  readonly yellow: bigint;
  /** Who holds the initiative token; in the classic game, who is to move. */
  readonly first: Side;
  readonly isClassic: boolean;
  readonly reverseTie: boolean;
}

/** The position before a turn, or null in a game that the solver doesn't know. `tie` is the game's option. */
export function readSolverPosition({ board, toMove }: Position, tie: Json | undefined): SolverPosition | null {
  if (board?.kind !== "columns") return null;
  const bits = (letter: string) => {
    const rows = [...board.grid].reverse();
    const cells = rows.flatMap((line, row) => [...line].map((cell, column) => (cell === letter ? 1n << BigInt(column * BITS_PER_COLUMN + row) : 0n)));
    return cells.reduce((all, cell) => all | cell, 0n);
  };
  const isClassic = board.token === null;
  return { columns: board.columns, red: bits("R"), yellow: bits("Y"), first: board.token ?? toMove[0]!, isClassic, reverseTie: tie === "other" };
}

/** The position with the columns in reverse order. */
export function mirrored(position: SolverPosition): SolverPosition {
  const mirror = (bits: bigint) => columnsOf(position).reduce((all, column) => (all << BigInt(BITS_PER_COLUMN)) | columnBits(bits, column), 0n);
  return { ...position, red: mirror(position.red), yellow: mirror(position.yellow) };
}

/** The position with the colors exchanged. */
export function exchanged(position: SolverPosition): SolverPosition {
  return { ...position, red: position.yellow, yellow: position.red, first: other(position.first) };
}

export function isOpen({ red, yellow }: SolverPosition, column: number): boolean {
  return columnBits(red | yellow, column) >> BigInt(ROWS - 1) === 0n;
}

export function countFreeCells(position: SolverPosition): number {
  const taken = [...(position.red | position.yellow).toString(2)].filter((bit) => bit === "1");
  return position.columns * ROWS - taken.length;
}

/** The columns, from 0. */
export function columnsOf({ columns }: SolverPosition): number[] {
  return Array.from({ length: columns }, (_, column) => column);
}

function columnBits(bits: bigint, column: number): bigint {
  return BigInt.asUintN(BITS_PER_COLUMN, bits >> BigInt(column * BITS_PER_COLUMN));
}
