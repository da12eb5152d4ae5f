import { useRef } from "preact/hooks";
import type { Side, SideTally } from "../protocol";
import { centreX } from "../board/geometry";
import { Shape } from "../board/Ball";
import { FLOOR } from "./layout";
import { settle } from "./motion";
import { percent, placeOf, share, tallyOf } from "./sides";
import { standing, useReveal, type View } from "./view";

const WIDTH = 40;
const GAP = 2;
const FOOT = -4;
const LABEL = 104;
const TOP_MARGIN = 22;
const WITH_SHAPE = 46;

/** Two bars stand side by side with their backs to the column's middle, a single one stands on it. */
type Anchor = "end" | "middle" | "start";

export interface Bar {
  side: Side;
  column: number;
  x: number;
  height: number;
  share: number;
  picked: boolean;
  anchor: Anchor;
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
  return tallies.flatMap(({ side, tally }) => {
    const alone = tallies.length === 1;
    return barsOfSide(side, tally, room / most, alone ? "middle" : placeOf(match, side) === 0 ? "end" : "start");
  });
}

const LABEL_AT: Record<Anchor, number> = { end: -5, start: 5, middle: 0 };
const LEFT_EDGE: Record<Anchor, number> = { end: -GAP - WIDTH, start: GAP, middle: -WIDTH / 2 };

function barsOfSide(side: Side, tally: SideTally, scale: number, anchor: Anchor): Bar[] {
  return tally.counts.map((_, index) => {
    const column = index + 1;
    const part = share(tally, column);
    const x = centreX(column) + LEFT_EDGE[anchor];
    return { side, column, x, height: part * scale, share: part, picked: tally.pick === column, anchor };
  });
}

/** The tides, poured into the columns. */
export function Bars({ view }: { view: View }) {
  const group = useRef<SVGGElement>(null);
  const bars = barsOf(view);
  useReveal(view, ["pour"], ({ poured }) => {
    const grown = settle(poured);
    bars.forEach((bar, index) => put(group.current?.children[index], bar, grown));
  });
  return (
    <g class="bars" ref={group} data-step={view.scene.stage?.step}>
      {bars.map((bar) => <BarOf key={`${bar.side}${bar.column}`} bar={bar} />)}
    </g>
  );
}

function put(element: Element | undefined, { height, share }: Bar, grown: number) {
  const [body, label] = element?.children ?? [];
  body?.setAttribute("y", `${FOOT - height * grown}`);
  body?.setAttribute("height", `${height * grown}`);
  label?.setAttribute("transform", `translate(0 ${FOOT - height * grown - 10})`);
  if (label) label.textContent = share > 0 ? percent(share * grown) : "";
}

function BarOf({ bar }: { bar: Bar }) {
  const { side, x, anchor, picked, height, column } = bar;
  return (
    <g class="votes" data-side={side} data-picked={picked}>
      <rect x={x} width={WIDTH} rx="3" />
      <text x={centreX(column) + LABEL_AT[anchor]} text-anchor={anchor} />
      {height > WITH_SHAPE && <g transform={`translate(${x + WIDTH / 2} -26) scale(0.52)`}><Shape side={side} /></g>}
    </g>
  );
}
