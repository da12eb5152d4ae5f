import type { Side, SideTally } from "../protocol";
import { BALL, slotX } from "../board/geometry";
import { percent, placeOf, share, tallyOf } from "./sides";
import { standing, type View } from "./view";

/** Two numbers stand over a column, one a line, the left team's above; or over the balls that wait there. */
const LINE = 60;
const LABEL = 2 * LINE + 6;
const WAITING = 2 * BALL + 8;
const TOP_MARGIN = 22;

/** Two bars stand side by side with their backs to the column's middle, a single one stands on it. */
export type Standpoint = "left" | "right" | "alone";

export interface Bar {
  side: Side;
  column: number;
  x: number;
  height: number;
  share: number;
  picked: boolean;
  standpoint: Standpoint;
  /** How high above the rim its number stands at the end of the pour, and once balls wait in its column. */
  label: number;
  lifted: number;
}

/** Both distributions over the columns, in the cabinet's units; the tallest bar takes all the room there is. */
export function barsOf(view: View): Bar[] {
  const { reveal, match } = view.scene;
  const stand = standing(view);
  if (!reveal || !match || !stand) return [];
  const room = (stand.floor - stand.height - TOP_MARGIN) / stand.scale - LABEL;
  const tallies = (["red", "yellow"] as const).flatMap((side) => {
    const tally = tallyOf(reveal, side);
    return tally && tally.ballots > 0 ? [{ side, tally }] : [];
  });
  const most = Math.max(...tallies.flatMap(({ tally }) => tally.counts.map((_, i) => share(tally, i + 1))));
  const bars = tallies.flatMap(({ side, tally }) => {
    const alone = tallies.length === 1;
    return barsOfSide(view, { side, tally }, room / most, alone ? "alone" : placeOf(match, side) === 0 ? "left" : "right");
  });
  return bars.map((bar) => ({ ...bar, ...labelOf(bar, bars.filter(({ column }) => column === bar.column)) }));
}

type Unlabelled = Omit<Bar, "label" | "lifted">;

function barsOfSide(view: View, { side, tally }: { side: Side; tally: SideTally }, scale: number, standpoint: Standpoint): Unlabelled[] {
  return tally.counts.map((_, index) => {
    const column = index + 1;
    const part = share(tally, column);
    const x = slotX(column, view.scene.match!.board, view.back);
    return { side, column, x, height: part * scale, share: part, picked: tally.pick === column, standpoint };
  });
}

function labelOf(bar: Unlabelled, together: readonly Unlabelled[]): Pick<Bar, "label" | "lifted"> {
  const told = (bars: readonly Unlabelled[]) => bars.some((other) => other.standpoint === "right" && worthTelling(other.share));
  const line = (bars: readonly Unlabelled[]) => (bar.standpoint === "left" && told(bars) ? LINE : 0);
  const top = Math.max(...together.map(({ height }) => height));
  const picks = together.filter(({ picked }) => picked);
  return { label: top + line(together), lifted: Math.max(top, picks.length * WAITING) + line(together) };
}

/** Nothing is said over a bar that rounds to nothing. */
export function worthTelling(part: number): boolean {
  return percent(part) !== "0";
}
