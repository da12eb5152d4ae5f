import { useRef } from "preact/hooks";
import { boardHeight, boardWidth } from "../../board/geometry";
import { Shape } from "../../board/Ball";
import type { CloseCall } from "../../protocol";
import { BAR_FOOT, BAR_WIDTH, barLeft, distributionBars, isLabeledBar, type Bar, type BarAlign } from "./distribution";
import { easeOut } from "./motion";
import { framesDuring, useRevealAnimation, type RevealFrame } from "./revealAnimation";
import { roundedPercent } from "../scene/places";
import { pouring, recounting } from "../scene/timeline";
import { isBoardShrunk, useReveal, type StageView } from "../scene/stageView";

/** The middle of a number, beside the middle of its column: alone, or beside the other side's number. */
const ASIDE = { alone: 19, paired: 34 };
const ASIDE_100 = { alone: 0, paired: 54 };
const WITH_SHAPE = 46;
/** Numbers that count faster are unreadable, and each change costs a rendering. */
const COUNT_STEPS = 10;
const STEPS = 16;

const DIRECTION: Record<BarAlign, number> = { left: -1, right: 1, alone: 0 };

/** The vote distribution (bar chart of the votes): one bar for each column and side. A close call is replayed. */
export function DistributionChart({ view }: { view: StageView }) {
  const drawing = useRef<SVGSVGElement>(null);
  const bars = distributionBars(view);
  const { match, stage, call } = view.scene;
  const again = stage?.step === "replay" && call?.kind === "count" ? call : null;
  useReveal(view, ["pour"], ({ poured }) => {
    const labels = drawing.current?.querySelectorAll("text") ?? [];
    bars.forEach((bar, index) => setText(labels[index], again ? marginText(again, bar) : figure(bar, poured)));
  });
  if (!match) return null;
  const [width, height] = [boardWidth(match.board), boardHeight(match.board)];
  return (
    <svg class="bars" ref={drawing} viewBox={`0 0 ${width} ${height}`} data-step={stage?.step} data-figures={isBoardShrunk(view.scene)} data-again={again !== null} aria-hidden="true">
      {bars.map((bar) => <BarView key={`${bar.side}${bar.column}`} view={view} bar={bar} aside={numberAside(bars, bar)} again={again} />)}
    </svg>
  );
}

function figure({ share, rank }: Bar, poured: number): string {
  const counted = share * easeOut(Math.ceil(poured * COUNT_STEPS) / COUNT_STEPS);
  return isLabeledBar({ rank, share: counted }) ? roundedPercent(counted) : "";
}

function contends(call: CloseCall | null, { side, column }: Bar): boolean {
  return call !== null && call.side === side && (call.first === column || call.second === column);
}

/** The margin of the first column. */
function marginText(call: CloseCall, bar: Bar): string {
  if (!contends(call, bar)) return "";
  if (call.margin === 0) return "=";
  return bar.column === call.first ? `+${call.margin}` : "";
}

function setText(label: Element | undefined, text: string) {
  if (label && label.textContent !== text) label.textContent = text;
}

function numberAside(bars: readonly Bar[], { column }: Bar): number {
  const numbered = bars.filter((bar) => bar.column === column && isLabeledBar(bar));
  const widths = numbered.some(({ share }) => roundedPercent(share) === "100") ? ASIDE_100 : ASIDE;
  return numbered.length > 1 ? widths.paired : widths.alone;
}

function BarView({ view, bar, aside, again }: { view: StageView; bar: Bar; aside: number; again: CloseCall | null }) {
  const { side, x, align, picked, height } = bar;
  const contending = contends(again, bar);
  const body = useRevealAnimation<SVGRectElement>(view, bodyFrames(view, contending));
  const label = useRevealAnimation<SVGTextElement>(view, labelFrames(view, bar, contending));
  const left = barLeft(bar);
  return (
    <g class="votes" data-side={side} data-picked={picked} data-contends={contending}>
      <rect x={left} y={BAR_FOOT - height} width={BAR_WIDTH} height={height} rx="3" ref={body} />
      <text x={x + DIRECTION[align] * aside} ref={label} />
      {height > WITH_SHAPE && <g transform={`translate(${left + BAR_WIDTH / 2} -26) scale(0.52)`}><Shape side={side} /></g>}
    </g>
  );
}

function bodyFrames({ reducedMotion, scene: { plan } }: StageView, again: boolean): RevealFrame[] {
  if (!plan) return [];
  const rise = (grown: number) => ({ transform: `scaleY(${grown.toFixed(4)})` });
  return [
    { at: 0, ...rise(0) },
    ...framesDuring(pouring(plan), reducedMotion, STEPS, (t) => rise(easeOut(t))),
    ...(again ? framesDuring(recounting(plan), reducedMotion, STEPS, (t) => rise(runUp(t))) : []),
    { at: 1, ...rise(1) },
  ];
}

function labelFrames({ reducedMotion, scene: { plan } }: StageView, { height }: Bar, again: boolean): RevealFrame[] {
  if (!plan) return [];
  const at = (above: number) => ({ transform: `translateY(${(BAR_FOOT - above - 10).toFixed(1)}px)` });
  return [
    { at: 0, ...at(0) },
    ...framesDuring(pouring(plan), reducedMotion, STEPS, (t) => at(height * easeOut(t))),
    ...(again ? framesDuring(recounting(plan), reducedMotion, STEPS, (t) => at(height * runUp(t))) : []),
    { at: 1, ...at(height) },
  ];
}

/** Decelerates towards the final value, which is reached before the end. */
function runUp(t: number): number {
  return easeOut(Math.min(1, 0.35 + t * 0.8));
}
