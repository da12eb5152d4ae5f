import type { Board } from "../../protocol";
import type { JsonObject } from "../json";
import { SIDES, type Move, type Result, type Side } from "../record";
import { other, oneOf, wholeNumber, type Position, type Start } from "./position";

/** The games in which balls drop into columns, and four in a row win. */

const LINE = 4;
const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]] as const;
const LETTERS: Record<Side, string> = { red: "R", yellow: "Y" };

type Cell = readonly [column: number, row: number];

class Columns {
  /** The balls of each column, from the bottom. */
  private constructor(readonly stacks: readonly (readonly Side[])[], readonly rows: number) {}

  static empty({ columns, rows }: { columns: number; rows: number }): Columns {
    return new Columns(Array.from({ length: columns }, () => []), rows);
  }

  get open(): readonly number[] {
    return this.stacks.flatMap((stack, index) => (stack.length < this.rows ? [index + 1] : []));
  }

  /** With one more ball; unchanged if the column is full. */
  drop(side: Side, column: number | null): Columns {
    if (column === null || !this.open.includes(column)) return this;
    return new Columns(this.stacks.map((stack, index) => (index === column - 1 ? [...stack, side] : stack)), this.rows);
  }

  /** The cells of the side's lines. */
  lines(side: Side): Cell[] {
    const cells = new Map<string, Cell>();
    this.stacks.forEach((stack, column) => stack.forEach((_, row) => {
      for (const [across, up] of DIRECTIONS) {
        const line = Array.from({ length: LINE }, (_, step) => [column + across * step, row + up * step] as const);
        if (line.every(([x, y]) => this.stacks[x]?.[y] === side)) for (const [x, y] of line) cells.set(`${x},${y}`, [x + 1, y + 1]);
      }
    }));
    return [...cells.values()];
  }

  board(token: Side | null, winner: Result): Board {
    const grid = Array.from({ length: this.rows }, (_, fromTop) => this.stacks.map((stack) => LETTERS[stack[this.rows - 1 - fromTop]!] ?? ".").join(""));
    const [winning_cells, losing_cells] = winner === "red" || winner === "yellow" ? [this.lines(winner), this.lines(other(winner))] : [[], []];
    return { kind: "columns", columns: this.stacks.length, rows: this.rows, grid, token, winning_cells, losing_cells, choices: [], drawing: null, vote: null };
  }
}

/** The result, if the side in `favored` wins when both have a line. */
function columnsResult(columns: Columns, favored: Side): Result {
  const winners = SIDES.filter((side) => columns.lines(side).length);
  if (winners.length === 2) return favored;
  return winners[0] ?? (columns.open.length ? "open" : "draw");
}

interface TokenGame {
  readonly columns: Columns;
  readonly token: Side;
  /** Who wins if both sides have a line: the token's holder, or the other side. */
  readonly tie: "holder" | "other";
  readonly result: Result;
}

function readSize(options: JsonObject) {
  return { columns: wholeNumber(options, "columns", 1, 29), rows: wholeNumber(options, "rows", 1, 29) };
}

function startTokenGame(options: JsonObject): TokenGame {
  return { columns: Columns.empty(readSize(options)), token: oneOf(options, "token", SIDES), tie: oneOf(options, "tie", ["holder", "other"] as const), result: "open" };
}

/** Both balls drop, the holder's first. */
function dropBoth({ columns, token, tie }: TokenGame, move: Move): TokenGame {
  const after = columns.drop(token, move[token]).drop(other(token), move[other(token)]);
  const conflict = move.red !== null && move.red === move.yellow;
  return { columns: after, token: conflict ? other(token) : token, tie, result: columnsResult(after, tie === "holder" ? token : other(token)) };
}

/** What the games with a token have in common. */
abstract class TokenPosition implements Position {
  constructor(protected readonly game: TokenGame) {}

  abstract get toMove(): readonly Side[];

  get choices(): number {
    return this.game.columns.stacks.length;
  }

  get result(): Result {
    return this.game.result;
  }

  get board(): Board {
    return this.game.columns.board(this.game.token, this.result);
  }

  legal(): readonly number[] {
    return this.game.columns.open;
  }

  abstract play(move: Move): Position;
}

class SimultaneousPosition extends TokenPosition {
  get toMove(): readonly Side[] {
    return this.result === "open" ? SIDES : [];
  }

  play(move: Move): Position {
    return new SimultaneousPosition(dropBoth(this.game, move));
  }
}

/** The token's holder chooses first; both balls drop when the other side has chosen. */
class SelectorPosition extends TokenPosition {
  constructor(game: TokenGame, private readonly chosen: { pick: number | null } | null = null) {
    super(game);
  }

  get isConcealed(): boolean {
    return !this.chosen;
  }

  get toMove(): readonly Side[] {
    if (this.result !== "open") return [];
    return [this.chosen ? other(this.game.token) : this.game.token];
  }

  play(move: Move): Position {
    const { token } = this.game;
    if (!this.chosen) return new SelectorPosition(this.game, { pick: move[token] });
    const picks = { red: move.red, yellow: move.yellow, [token]: this.chosen.pick };
    return new SelectorPosition(dropBoth(this.game, picks));
  }
}

class AlternatingPosition implements Position {
  constructor(private readonly columns: Columns, private readonly side: Side) {}

  get toMove(): readonly Side[] {
    return this.result === "open" ? [this.side] : [];
  }

  get choices(): number {
    return this.columns.stacks.length;
  }

  get result(): Result {
    return columnsResult(this.columns, "red");
  }

  get board(): Board {
    return this.columns.board(null, this.result);
  }

  legal(): readonly number[] {
    return this.columns.open;
  }

  play(move: Move): Position {
    return new AlternatingPosition(this.columns.drop(this.side, move[this.side]), other(this.side));
  }
}

export const startSimultaneous: Start = (options) => new SimultaneousPosition(startTokenGame(options));
export const startSelector: Start = (options) => new SelectorPosition(startTokenGame(options));
export const startAlternating: Start = (options) => new AlternatingPosition(Columns.empty(readSize(options)), oneOf(options, "first", SIDES));
