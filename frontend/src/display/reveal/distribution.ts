import type { Side, SideTally } from "../../protocol";
import { BALL, columnX } from "../../board/geometry";
import { roundedPercent, sidePlace, share, tallyForSide } from "../scene/places";
import { gridPlacement, type StageView } from "../scene/stageView";

/** Height of a number. */
const LINE = 66;
/** Height of a ball that waits over the bars. */
const WAITING = 2 * BALL + 8;
const TOP_MARGIN = 16;
const LABELED = 2;

/** A bar's width, and its bottom edge above the rim (negative: higher), in board units. */
export const BAR_WIDTH = 40;
export const BAR_FOOT = -4;
const GAP = 2;
const LEFT_EDGE: Record<BarAlign, number> = { left: -GAP - BAR_WIDTH, right: GAP, alone: -BAR_WIDTH / 2 };

/** Two bars stand on either side of the column's middle line; a single one is centered. */
export type BarAlign = "left" | "right" | "alone";

export interface Bar {
  side: Side;
  column: number;
  x: number;
  height: number;
  share: number;
  picked: boolean;
  /** 1 for the side's highest bar. */
  rank: number;
  align: BarAlign;
}

/** Both teams' vote distributions over the columns, in board units. The tallest bar takes the full height. */
export function distributionBars(view: StageView): Bar[] {
  const { reveal, match } = view.scene;
  const placement = gridPlacement(view);
  if (!reveal || !match || !placement) return [];
  const headroom = (placement.floor - placement.height - TOP_MARGIN) / placement.scale;
  const { conflict, drops } = reveal.resolution;
  const room = Math.max(0, headroom - LINE - WAITING * (conflict === null ? Math.min(1, drops.length) : drops.length));
  const tallies = (["red", "yellow"] as const).flatMap((side) => {
    const tally = tallyForSide(reveal, side);
    return tally && tally.ballots > 0 ? [{ side, tally }] : [];
  });
  const most = Math.max(...tallies.flatMap(({ tally }) => tally.counts.map((_, i) => share(match, tally, i + 1))));
  return tallies.flatMap(({ side, tally }) => {
    const alone = tallies.length === 1;
    return sideBars(view, { side, tally }, room / most, alone ? "alone" : sidePlace(match, side) === 0 ? "left" : "right");
  });
}

/** How high above the rim balls wait over a column: over its bars and their numbers. */
export function waitingHeight(bars: readonly Bar[], column: number): number {
  return Math.max(0, ...bars.filter((bar) => bar.column === column).map((bar) => bar.height + (isLabeledBar(bar) ? LINE : 0)));
}

/** The bar's left edge. */
export function barLeft({ x, align }: Pick<Bar, "x" | "align">): number {
  return x + LEFT_EDGE[align];
}

function sideBars(view: StageView, { side, tally }: { side: Side; tally: SideTally }, scale: number, align: BarAlign): Bar[] {
  const match = view.scene.match!;
  return tally.counts.map((_, index) => {
    const column = index + 1;
    const part = share(match, tally, column);
    const x = columnX(column, match.board, view.back);
    const rank = 1 + tally.counts.filter((votes, other) => votes > tally.counts[index]! || (votes === tally.counts[index] && other < index)).length;
    return { side, column, x, height: part * scale, share: part, picked: tally.pick === column, rank, align };
  });
}

/** Only a side's two highest bars have numbers, so that none overlap. */
export function isLabeledBar({ rank, share }: Pick<Bar, "rank" | "share">): boolean {
  return rank <= LABELED && isWorthShowing(share);
}

/** False for a bar that rounds to zero, which gets no number. */
export function isWorthShowing(part: number): boolean {
  return roundedPercent(part) !== "0";
}
