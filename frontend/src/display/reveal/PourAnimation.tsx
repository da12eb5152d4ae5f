import { useRef } from "preact/hooks";
import { distributionBars, type Bar } from "./distribution";
import { HEIGHT, turnoutY } from "../scene/layout";
import { easeOut } from "./motion";
import { sidePlace } from "../scene/places";
import { gridPlacement, useReveal, type StageView } from "../scene/stageView";

const DROPS_PER_SIDE = 70;
const FLIGHT = 0.34;
/** Resolution of the canvas: moving drops need no sharp edges, and a large canvas costs frames. */
const FINEST = 0.6;
const COLORS = { red: "#ff5a6e", yellow: "#ffdb66" };

interface Flight {
  from: number;
  to: number;
  over: number;
  starts: number;
  radius: number;
  bar: Bar;
}

/** The votes fly as drops from the turnout bars to the distribution chart. Their paths depend only on the shares. */
export function PourAnimation({ view }: { view: StageView }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const flights = makeFlights(view);
  const placement = gridPlacement(view);
  useReveal(view, ["pour"], ({ poured }) => {
    const pen = canvas.current?.getContext("2d");
    if (!pen || !placement) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
    const fine = pen.canvas.height / HEIGHT;
    pen.setTransform(fine, 0, 0, fine, 0, 0);
    for (const flight of flights) draw(pen, flight, poured, placement.floor - placement.height, placement.scale);
  });
  const fine = Math.min(FINEST, view.size.unit);
  return <canvas class="pour" ref={canvas} width={Math.round(view.size.width * fine)} height={Math.round(HEIGHT * fine)} aria-hidden="true" />;
}

function draw(pen: CanvasRenderingContext2D, flight: Flight, poured: number, rim: number, scale: number) {
  const t = (poured - flight.starts) / FLIGHT;
  if (t <= 0 || t >= 1) return;
  const from = turnoutY(1 - poured * 0.6);
  const to = rim - flight.bar.height * easeOut(poured) * scale;
  const x = flight.from + (flight.to - flight.from) * t;
  const y = (1 - t) ** 2 * from + 2 * t * (1 - t) * flight.over + t * t * to;
  pen.fillStyle = COLORS[flight.bar.side];
  pen.beginPath();
  pen.arc(x, y, flight.radius, 0, 2 * Math.PI);
  pen.fill();
}

function makeFlights(view: StageView): Flight[] {
  const bars = distributionBars(view);
  return (["red", "yellow"] as const).flatMap((side) => {
    const own = bars.filter((bar) => bar.side === side);
    return own.length ? Array.from({ length: DROPS_PER_SIDE }, (_, n) => makeFlight(view, own, n)) : [];
  });
}

/** Evenly distributed and deterministic, so that the same moment always looks the same. */
function spread(n: number, step: number): number {
  return (n * step) % 1;
}

function makeFlight(view: StageView, own: readonly Bar[], n: number): Flight {
  const { scene, size } = view;
  const bar = barAtQuantile(own, (n + 0.5) / DROPS_PER_SIDE);
  const placement = gridPlacement(view);
  const outward = 0.03 + 0.2 * spread(n, 0.618);
  const left = sidePlace(scene.match, bar.side) === 0;
  const edge = (placement?.center ?? 0) - (placement?.width ?? 0) / 2;
  return {
    bar,
    from: size.width * (left ? outward : 1 - outward),
    to: edge + bar.x * (placement?.scale ?? 1),
    over: 40 + 160 * spread(n, 0.382),
    starts: (1 - FLIGHT) * spread(n, 0.7548),
    radius: 4 + 6 * spread(n, 0.5698),
  };
}

function barAtQuantile(own: readonly Bar[], quantile: number): Bar {
  const all = own.reduce((shares, bar) => shares + bar.share, 0);
  let sum = 0;
  return own.find((bar) => (sum += bar.share) >= quantile * all) ?? own[own.length - 1]!;
}
