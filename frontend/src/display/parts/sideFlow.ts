import type { SidesSummary } from "../../protocol";

/** A flow chart of side changes (Sankey diagram): two bands of constant total width, with streams between them. */
export interface SideFlow {
  /** The boundary between the bands, one point per turn; red's band is above it. */
  shores: readonly { x: number; y: number }[];
  red: string;
  yellow: string;
  /** `broad`, the width of a stream, is proportional to the number of voters who changed sides. */
  sideChanges: readonly { to: "red" | "yellow"; path: string; broad: number; count: number }[];
}

/** The smallest visible width of a stream. */
const THIN = 4;
/** How far a stream reaches into both bands. */
const DEEP = 16;

export function sideFlow({ turns }: SidesSummary, width: number, height: number): SideFlow {
  const all = Math.max(1, (turns[0]?.red ?? 0) + (turns[0]?.yellow ?? 0));
  const apart = width / Math.max(1, turns.length - 1);
  const shores = turns.map(({ red }, index) => ({ x: index * apart, y: (red / all) * height }));
  const shown = shores.length > 1 ? shores : [...shores, ...shores.map(({ y }) => ({ x: width, y }))];
  const shore = along(shown.map(({ x, y }) => [x, y]));
  return {
    shores,
    red: `M0 0 L${shore} L${width} 0Z`,
    yellow: `M0 ${height} L${shore} L${width} ${height}Z`,
    sideChanges: turns.flatMap(({ to_red, to_yellow }, index) => {
      const from = shores[index - 1];
      const to = shores[index];
      if (!from || !to) return [];
      const streams = [{ to: "yellow", count: to_yellow, way: 1 }, { to: "red", count: to_red, way: -1 }] as const;
      return streams
        .filter(({ count }) => count > 0)
        .map(({ to: side, count, way }) => {
          const broad = Math.max(THIN, (count / all) * height);
          return { to: side, count, broad, path: stream(from, to, way * (broad / 2 + DEEP)) };
        });
    }),
  };
}

type Point = readonly [x: number, y: number];

const round = (n: number) => Math.round(n * 10) / 10;

/** A smooth path through the points, horizontal at each of them. */
function along(points: readonly Point[]): string {
  return points
    .map(([x, y], index) => {
      const before = points[index - 1];
      if (!before) return `${round(x)} ${round(y)}`;
      const half = round((before[0] + x) / 2);
      return `C${half} ${round(before[1])} ${half} ${round(y)} ${round(x)} ${round(y)}`;
    })
    .join(" ");
}

/** A path from one band into the other, across the boundary; upwards if `deep` is negative. */
function stream(from: { x: number; y: number }, to: { x: number; y: number }, deep: number): string {
  const apart = (to.x - from.x) * 0.12;
  return `M${along([[from.x + apart, from.y - deep], [to.x - apart, to.y + deep]])}`;
}

/** The share of all voters who never changed sides, in whole percent. */
export function loyalty({ turns, loyal }: SidesSummary): number {
  const all = (turns[0]?.red ?? 0) + (turns[0]?.yellow ?? 0);
  return all ? Math.round((100 * (loyal[0] + loyal[1])) / all) : 0;
}
