import { SIDES, type Move, type Result, type Side } from "../record";
import { oneOf, type Position, type Start } from "./position";

const SIZES = { small: [9, 7], large: [13, 9] } as const;
/** Up, right, down, left. Rows count from the top. */
const STEPS = [[0, -1], [1, 0], [0, 1], [-1, 0]] as const;
const [RIGHT, LEFT] = [2, 4];

interface Head {
  readonly x: number;
  readonly y: number;
  /** The last direction, 1 to 4. */
  readonly heading: number;
}

type Heads = Readonly<Record<Side, Head>>;

class TrailsPosition implements Position {
  readonly choices = STEPS.length;
  readonly board = null;

  constructor(private readonly size: readonly [number, number], private readonly heads: Heads, private readonly walls: ReadonlySet<string>, readonly result: Result = "open") {}

  get toMove(): readonly Side[] {
    return this.result === "open" ? SIDES : [];
  }

  /** Every direction but back. */
  legal(side: Side): readonly number[] {
    const back = ((this.heads[side].heading + 1) % 4) + 1;
    return [1, 2, 3, 4].filter((direction) => direction !== back);
  }

  play(move: Move): Position {
    const walls = new Set([...this.walls, ...SIDES.map((side) => place(this.heads[side]))]);
    const heads = { red: step(this.heads.red, move.red), yellow: step(this.heads.yellow, move.yellow) };
    const met = place(heads.red) === place(heads.yellow);
    const crashed = SIDES.map((side) => met || !this.isInside(heads[side]) || walls.has(place(heads[side])));
    return new TrailsPosition(this.size, heads, walls, trailsResult(crashed[0]!, crashed[1]!));
  }

  private isInside({ x, y }: Head): boolean {
    return x >= 1 && y >= 1 && x <= this.size[0] && y <= this.size[1];
  }
}

const place = ({ x, y }: Head) => `${x},${y}`;

/** A head without a pick moves on in its direction. */
function step({ x, y, heading }: Head, pick: number | null): Head {
  const direction = pick ?? heading;
  const [across, down] = STEPS[direction - 1]!;
  return { x: x + across, y: y + down, heading: direction };
}

function trailsResult(red: boolean, yellow: boolean): Result {
  if (red && yellow) return "draw";
  if (red) return "yellow";
  return yellow ? "red" : "open";
}

export const startTrails: Start = (options) => {
  const size = SIZES[oneOf(options, "field", ["small", "large"] as const)];
  const y = (size[1] + 1) / 2;
  return new TrailsPosition(size, { red: { x: 2, y, heading: RIGHT }, yellow: { x: size[0] - 1, y, heading: LEFT } }, new Set());
};
