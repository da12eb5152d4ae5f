import { textHash } from "../hashes";
import type { Side } from "../record";
import { other } from "../rules/position";
import type { SolverPosition } from "./position";
import type { Matrix, Solution, Solver } from "./solver";

/** The version of games/bots/bots.py that this module agrees with. */
export const BOTS_VERSION = 2;
export const MAX_STRENGTH = 5;

const ERROR_TEMPERATURE = 0.25;
const ANSWER_TEMPERATURE = 0.12;
const SCALE = 2 ** 30;

interface Strength {
  readonly slips: number;
  readonly expectsSlips: boolean;
  /** How far it looks ahead; null: as far as the solver does. */
  readonly turns: number | null;
}

const STRENGTHS: readonly Strength[] = [
  { slips: 0.8, expectsSlips: true, turns: 1 },
  { slips: 0.5, expectsSlips: true, turns: 1 },
  { slips: 0.22, expectsSlips: true, turns: 1 },
  { slips: 0, expectsSlips: false, turns: 1 },
  { slips: 0, expectsSlips: false, turns: null },
];

/** What decides a pick. */
export interface BotInputs {
  readonly side: Side;
  readonly strength: number;
  readonly seed: string;
  readonly legal: readonly number[];
  /** Null in a game without a solver. */
  readonly position: SolverPosition | null;
}

/** The computer's pick. Games without a solver need none. */
export function recomputePick({ side, strength, seed, legal, position }: BotInputs, solver: Solver | null): number {
  const lot = drawLot(seed, side, "pick");
  if (!position) return legal[drawIndex(legal.map(() => 1), lot)]!;
  return 1 + drawIndex(weighColumns(position, { side, strength, seed }, solver!), lot);
}

/** How likely the computer picks each column. Why the numbers of every language lead to the same picks: games/bots/bots.py. */
export function weighColumns(position: SolverPosition, { side, strength, seed }: Pick<BotInputs, "side" | "strength" | "seed">, solver: Solver): number[] {
  const { slips, expectsSlips, turns } = STRENGTHS[strength - 1]!;
  const slipsNow = drawLot(seed, side, "slip") < Math.trunc(slips * SCALE);
  // In the classic game a turn is one ball, so the opponent's reply is the turn after.
  const seesReply = Number(position.isClassic && !slipsNow);
  const solution = turns === null ? solver.solve(position) : solver.solveDepth(position, turns + seesReply);
  return mixColumns(solution, side, slipsNow, expectsSlips).map((weight) => Math.round(weight * SCALE));
}

function mixColumns(solution: Solution, side: Side, slipsNow: boolean, expectsSlips: boolean): readonly number[] {
  if (!slipsNow && !expectsSlips) return side === "red" ? solution.redMix : solution.yellowMix;
  const own = payoffs(solution.matrix, side);
  if (slipsNow) return respond(own, null, ERROR_TEMPERATURE);
  return respond(own, respond(payoffs(solution.matrix, other(side)), null, ERROR_TEMPERATURE), ANSWER_TEMPERATURE);
}

/** The side's values of its columns, each against the opponent's columns. */
function payoffs(matrix: Matrix, side: Side): Matrix {
  if (side === "red") return matrix;
  return matrix[0]!.map((_, column) => matrix.map((row) => (row[column] == null ? null : -row[column]!)));
}

/** The softmax weight of each row, by its mean against an opponent with these weights; null: equal ones. */
function respond(rows: Matrix, against: readonly number[] | null, heat: number): number[] {
  const means = rows.map((row) => weightedMean(row, against));
  const best = Math.max(...means.filter((mean) => mean !== null));
  return means.map((mean) => (mean === null ? 0 : Math.exp((mean - best) / heat)));
}

function weightedMean(row: readonly (number | null)[], weights: readonly number[] | null): number | null {
  let [sum, total] = [0, 0];
  row.forEach((value, index) => {
    const weight = weights ? weights[index]! : 1;
    if (value === null) return;
    sum += weight * value;
    total += weight;
  });
  return total ? sum / total : null;
}

/** A number below SCALE. */
function drawLot(seed: string, side: Side, purpose: "pick" | "slip"): number {
  return parseInt(textHash(`${seed}:${side}:bot:${purpose}`).slice(0, 8), 16) % SCALE;
}

/** The index that the lot, below SCALE, falls on. */
function drawIndex(weights: readonly number[], lot: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = Number((BigInt(lot) * BigInt(total)) / BigInt(SCALE)); // the product exceeds 2^53
  return weights.findIndex((weight) => (left -= weight) < 0);
}
