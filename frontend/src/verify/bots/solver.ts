import { columnsOf, countFreeCells, exchanged, isOpen, mirrored, type SolverPosition } from "./position";

const COLUMNS = 7;
const PAGE = 1 << 16;
const TABLE_BITS = 20;
const ENTRY_BYTES = 32;
const STEPS_PER_UNIT = 256;
const EXACT_CELLS = 18;
const LIKELY_EXACT_CELLS = 22;
const EXACT_SHARE = 0.7;
const TO_THE_END = 63;
/** Also to the end, without the evaluation's limits. */
const EXACT = 62;
const NODES = 800_000;
const EXACT_NODES = 3 * NODES;
const NODES_AFTER_EXACT = NODES / 10;
const UNLIMITED = (1n << 62n) - 1n;
const DIGITS = 12;

type Search = (red: bigint, yellow: bigint, first: number, depth: number, nodes: bigint) => number;

/** The functions of games/solver/solver.c. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly __heap_base: WebAssembly.Global<"i32">;
  readonly set_up: (memory: number, bits: number, columns: number, reverseTie: number) => void;
  readonly weights_needed: () => number;
  readonly forget: () => void;
  readonly solve: Search;
  readonly solve_classic: Search;
  readonly nodes_searched: () => bigint;
  readonly answer_address: () => number;
}

/** The value of each of red's columns against each of yellow's; null if one of them is full. */
export type Matrix = readonly (readonly (number | null)[])[];

export interface Solution {
  /** Red's: 1 is a win, -1 a loss. */
  readonly value: number;
  readonly redMix: readonly number[];
  readonly yellowMix: readonly number[];
  readonly matrix: Matrix;
  readonly isExact: boolean;
}

/** Solves positions of one width and one rule for double wins, with the same numbers as games/solver/solver.py. */
export class Solver {
  private readonly exports: Exports;

  /** `weights` is the content of a file in games/solver/weights. */
  constructor(program: WebAssembly.Module, weights: Int16Array, { columns, reverseTie }: Pick<SolverPosition, "columns" | "reverseTie">, tableBits = TABLE_BITS) {
    this.exports = new WebAssembly.Instance(program).exports as unknown as Exports;
    const table = this.exports.__heap_base.value;
    const weightsAddress = table + (ENTRY_BYTES << tableBits);
    this.reserve(weightsAddress);
    this.exports.set_up(table, tableBits, columns, Number(reverseTie));
    if (this.exports.weights_needed() !== weights.length) throw new RangeError("weights of another board");
    this.reserve(weightsAddress + Float32Array.BYTES_PER_ELEMENT * weights.length);
    new Float32Array(this.exports.memory.buffer, weightsAddress).set(Float32Array.from(weights, (steps) => steps / STEPS_PER_UNIT));
  }

  /** Solves a turn as version 2 of the bots does: `solve_for_bots`. */
  solve(position: SolverPosition): Solution {
    return solveNormalized(position, (normalized) => this.solveBudget(normalized, TO_THE_END));
  }

  /** Solves a turn as the server's analysis does: `solve`, with a faster exact search. */
  analyze(position: SolverPosition): Solution {
    return solveNormalized(position, (normalized) => this.solveBudget(normalized, normalized.isClassic ? TO_THE_END : EXACT));
  }

  /** Solves a turn so many turns deep. */
  solveDepth(position: SolverPosition, depth: number): Solution {
    return solveNormalized(position, (normalized) => {
      this.exports.forget();
      return this.search(normalized, depth)!;
    });
  }

  private solveBudget(position: SolverPosition, depth: number): Solution {
    this.exports.forget();
    const free = countFreeCells(position);
    if (free <= EXACT_CELLS) return this.search(position, depth)!;
    if (free > LIKELY_EXACT_CELLS) return this.deepen(position, NODES);
    const nodes = depth === EXACT ? EXACT_NODES : Math.trunc(NODES * EXACT_SHARE);
    const exact = this.search(position, depth, BigInt(nodes));
    return exact ?? this.deepen(position, depth === EXACT ? NODES_AFTER_EXACT : NODES - this.nodesSearched());
  }

  private deepen(position: SolverPosition, nodes: number): Solution {
    let solution = this.search(position, 1)!;
    for (let depth = 2, left = nodes; !solution.isExact; depth++) {
      left -= this.nodesSearched();
      const deeper = this.search(position, depth, BigInt(Math.max(left, 0)));
      if (!deeper) break;
      solution = deeper;
    }
    return solution;
  }

  /** Null if the nodes didn't suffice. */
  private search(position: SolverPosition, depth: number, nodes = UNLIMITED): Solution | null {
    const search = position.isClassic ? this.exports.solve_classic : this.exports.solve;
    const reached = search(position.red, position.yellow, Number(position.first === "yellow"), depth, nodes);
    return reached ? this.readSolution(position, reached === TO_THE_END) : null;
  }

  private readSolution(position: SolverPosition, isExact: boolean): Solution {
    const [answer, columns] = [this.readAnswer(), columnsOf(position)];
    const open = columns.map((column) => isOpen(position, column));
    const moves = (side: string) => !position.isClassic || position.first === side;
    const mix = (side: string, start: number) => (moves(side) ? columns.map((column) => answer[start + column]!) : []);
    const [redOpen, yellowOpen] = ["red", "yellow"].map((side) => (moves(side) ? open : [true])) as [boolean[], boolean[]];
    const matrix = redOpen.map((isRedOpen, red) => yellowOpen.map((isYellowOpen, yellow) => (isRedOpen && isYellowOpen ? answer[1 + 2 * COLUMNS + red * COLUMNS + yellow]! : null)));
    return { value: answer[0]!, redMix: mix("red", 1), yellowMix: mix("yellow", 1 + COLUMNS), matrix, isExact };
  }

  /** The value, red's mix, yellow's mix and the matrix, without rounding errors. */
  private readAnswer(): number[] {
    const answer = new Float64Array(this.exports.memory.buffer, this.exports.answer_address(), 1 + 2 * COLUMNS + COLUMNS * COLUMNS);
    return Array.from(answer, (value) => Number(value.toFixed(DIGITS)));
  }

  private nodesSearched(): number {
    return Number(this.exports.nodes_searched());
  }

  private reserve(size: number): void {
    const { memory } = this.exports;
    const missing = Math.ceil((size - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
  }
}

/** Searches the one of the equivalent positions in which red is first, with the smaller columns. */
function solveNormalized(position: SolverPosition, search: (position: SolverPosition) => Solution): Solution {
  if (position.first === "yellow") return exchangeColors(solveNormalized(exchanged(position), search));
  const image = mirrored(position);
  const order = image.red === position.red ? image.yellow - position.yellow : image.red - position.red;
  if (order < 0n) return mirrorColumns(search(image));
  const solution = search(position);
  return order === 0n ? average(solution, mirrorColumns(solution)) : solution;
}

function mirrorColumns({ redMix, yellowMix, matrix, ...same }: Solution): Solution {
  return { ...same, redMix: [...redMix].reverse(), yellowMix: [...yellowMix].reverse(), matrix: matrix.map((row) => [...row].reverse()).reverse() };
}

function exchangeColors({ value, redMix, yellowMix, matrix, isExact }: Solution): Solution {
  const columns = matrix[0]!.map((_, column) => matrix.map((row) => (row[column] == null ? null : 0 - row[column]!)));
  return { value: 0 - value, redMix: yellowMix, yellowMix: redMix, matrix: columns, isExact };
}

function average(solution: Solution, other: Solution): Solution {
  const mean = (one: number | null, two: number | null) => (one === null || two === null ? null : (one + two) / 2);
  const mix = (one: readonly number[], two: readonly number[]) => one.map((value, column) => (value + two[column]!) / 2);
  const matrix = solution.matrix.map((row, red) => row.map((value, yellow) => mean(value, other.matrix[red]![yellow]!)));
  return { ...solution, redMix: mix(solution.redMix, other.redMix), yellowMix: mix(solution.yellowMix, other.yellowMix), matrix };
}
