import { useRef } from "preact/hooks";
import type { Side, SideTally } from "../protocol";
import { BALL, centreX } from "../board/geometry";
import { Shape } from "../board/Ball";
import { FLOOR } from "./layout";
import { settle } from "./motion";
import { percent, placeOf, share, tallyOf } from "./sides";
import { standing, useReveal, type View } from "./view";

const WIDTH = 40;
const GAP = 2;
const FOOT = -4;
/** Two numbers stand over a column, one a line, the left team's above; or over the balls that wait there. */
const LINE = 60;
const ASIDE = 14;
/** As wide as a column: it stands in the middle, or it would meet one over the next column. */
const THREE_FIGURES = "100";
const LABEL = 2 * LINE + 6;
const WAITING = 2 * BALL + 8;
const TOP_MARGIN = 22;
const WITH_SHAPE = 46;

/** Two bars stand side by side with their backs to the column's middle, a single one stands on it. */
type Standpoint = "left" | "right" | "alone";

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
  const room = (FLOOR - stand.height - TOP_MARGIN) / stand.scale - LABEL;
  const tallies = (["red", "yellow"] as const).flatMap((side) => {
    const tally = tallyOf(reveal, side);
    return tally && tally.ballots > 0 ? [{ side, tally }] : [];
  });
  const most = Math.max(...tallies.flatMap(({ tally }) => tally.counts.map((_, i) => share(tally, i + 1))));
  const bars = tallies.flatMap(({ side, tally }) => {
    const alone = tallies.length === 1;
    return barsOfSide(side, tally, room / most, alone ? "alone" : placeOf(match, side) === 0 ? "left" : "right");
  });
  return bars.map((bar) => ({ ...bar, ...labelOf(bar, bars.filter(({ column }) => column === bar.column)) }));
}

const LABEL_AT: Record<Standpoint, number> = { left: -ASIDE, right: ASIDE, alone: 0 };
const LEFT_EDGE: Record<Standpoint, number> = { left: -GAP - WIDTH, right: GAP, alone: -WIDTH / 2 };

type Unlabelled = Omit<Bar, "label" | "lifted">;

function barsOfSide(side: Side, tally: SideTally, scale: number, standpoint: Standpoint): Unlabelled[] {
  return tally.counts.map((_, index) => {
    const column = index + 1;
    const part = share(tally, column);
    const x = centreX(column) + LEFT_EDGE[standpoint];
    return { side, column, x, height: part * scale, share: part, picked: tally.pick === column, standpoint };
  });
}

function labelOf(bar: Unlabelled, together: readonly Unlabelled[]): Pick<Bar, "label" | "lifted"> {
  const told = (bars: readonly Unlabelled[]) => bars.some((other) => other.standpoint === "right" && worthTelling(other.share));
  const line = (bars: readonly Unlabelled[]) => (bar.standpoint === "left" && told(bars) ? LINE : 0);
  const top = Math.max(...together.map(({ height }) => height));
  const picks = together.filter(({ picked }) => picked);
  return { label: top + line(together), lifted: Math.max(top, picks.length * WAITING) + line(picks) };
}

/** Nothing is said over a bar that rounds to nothing. */
function worthTelling(part: number): boolean {
  return percent(part) !== "0";
}

/** The tides, poured into the columns. */
export function Bars({ view }: { view: View }) {
  const group = useRef<SVGGElement>(null);
  const bars = barsOf(view);
  useReveal(view, ["pour", "picks"], ({ poured, chosen }) => {
    const [grown, lift] = [settle(poured), settle(chosen)];
    bars.forEach((bar, index) => put(group.current?.children[index], bar, grown, lift));
  });
  return (
    <g class="bars" ref={group} data-step={view.scene.stage?.step}>
      {bars.map((bar) => <BarOf key={`${bar.side}${bar.column}`} bar={bar} />)}
    </g>
  );
}

function put(element: Element | undefined, { height, share, label: end, lifted }: Bar, grown: number, lift: number) {
  const [body, label] = element?.children ?? [];
  body?.setAttribute("y", `${FOOT - height * grown}`);
  body?.setAttribute("height", `${height * grown}`);
  label?.setAttribute("transform", `translate(0 ${FOOT - end * grown - (lifted - end) * lift - 10})`);
  if (label) label.textContent = worthTelling(share * grown) ? percent(share * grown) : "";
}

function BarOf({ bar }: { bar: Bar }) {
  const { side, x, share, standpoint, picked, height, column } = bar;
  return (
    <g class="votes" data-side={side} data-picked={picked}>
      <rect x={x} width={WIDTH} rx="3" />
      <text x={centreX(column) + (percent(share) === THREE_FIGURES ? 0 : LABEL_AT[standpoint])} />
      {height > WITH_SHAPE && <g transform={`translate(${x + WIDTH / 2} -26) scale(0.52)`}><Shape side={side} /></g>}
    </g>
  );
}
