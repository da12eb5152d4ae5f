import { SIDES, type Move, type Result, type Side } from "../record";
import { oneOf, OptionError, wholeNumber, type Position, type Start } from "./position";

type PerSide<Value> = Readonly<Record<Side, Value>>;

interface Table {
  readonly cards: number;
  /** The prizes that are left. */
  readonly prizes: readonly number[];
  /** What earlier ties have added to the next prize. */
  readonly added: number;
  readonly hands: PerSide<readonly number[]>;
  readonly points: PerSide<number>;
  readonly addsTies: boolean;
}

class GoofspielPosition implements Position {
  readonly board = null;

  constructor(private readonly table: Table) {}

  get choices(): number {
    return this.table.cards;
  }

  get toMove(): readonly Side[] {
    return this.table.prizes.length ? SIDES : [];
  }

  get result(): Result {
    const { points, prizes } = this.table;
    if (prizes.length) return "open";
    if (points.red === points.yellow) return "draw";
    return points.red > points.yellow ? "red" : "yellow";
  }

  legal(side: Side): readonly number[] {
    return this.table.hands[side];
  }

  play(move: Move): Position {
    const { prizes, added, hands, points, addsTies } = this.table;
    const prize = prizes[0]! + added;
    const [red, yellow] = [move.red ?? 0, move.yellow ?? 0];
    const keep = (side: Side) => hands[side].filter((card) => card !== move[side]);
    return new GoofspielPosition({
      ...this.table,
      prizes: prizes.slice(1),
      added: red === yellow && addsTies ? prize : 0,
      hands: { red: keep("red"), yellow: keep("yellow") },
      points: { red: points.red + (red > yellow ? prize : 0), yellow: points.yellow + (yellow > red ? prize : 0) },
    });
  }
}

export const startGoofspiel: Start = (options) => {
  const cards = wholeNumber(options, "cards", 1, 13);
  const hand = Array.from({ length: cards }, (_, index) => index + 1);
  const { order } = options;
  if (!Array.isArray(order) || order.length !== cards || !hand.every((card) => order.includes(card))) throw new OptionError("order");
  const fixed = { rising: hand, falling: [...hand].reverse(), lot: order }[oneOf(options, "prizes", ["rising", "falling", "lot"] as const)];
  if (String(order) !== String(fixed)) throw new OptionError("order");
  const addsTies = oneOf(options, "tie", ["waits", "nobody"] as const) === "waits";
  return new GoofspielPosition({ cards, prizes: order as number[], added: 0, hands: { red: hand, yellow: hand }, points: { red: 0, yellow: 0 }, addsTies });
};

/** The permutation of 1 to `cards` with this number, from 0, in lexicographic order. */
export function permutation(cards: number, number: number): number[] {
  const left = Array.from({ length: cards }, (_, index) => index + 1);
  const order: number[] = [];
  for (let rest = number, size = cards; size; size--) {
    const below = factorial(size - 1);
    order.push(...left.splice(Math.floor(rest / below), 1));
    rest %= below;
  }
  return order;
}

export function factorial(number: number): number {
  return number < 2 ? 1 : number * factorial(number - 1);
}
