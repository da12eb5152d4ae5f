import type { SidesSummary } from "../../protocol";

/** How people went from side to side: two bands that are always as broad together, and who crossed in between. */
export interface SideFlow {
  /** Where the bands meet, a turn each: from the top, red's. */
  shores: readonly { x: number; y: number }[];
  red: string;
  yellow: string;
  /** A stream is as `broad` as those who crossed are many. */
  sideChanges: readonly { to: "red" | "yellow"; path: string; broad: number; count: number }[];
}

/** The thinnest stream that is still seen. */
const THIN = 4;
/** How far it comes from, and how far it goes. */
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

/** From point to point, level at each of them. */
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

/** From within one band into the other, crosswise to the shore between them; upwards if `deep` is below 0. */
function stream(from: { x: number; y: number }, to: { x: number; y: number }, deep: number): string {
  const apart = (to.x - from.x) * 0.12;
  return `M${along([[from.x + apart, from.y - deep], [to.x - apart, to.y + deep]])}`;
}

/** In whole per cent, of everybody, who never changed sides. */
export function loyalty({ turns, loyal }: SidesSummary): number {
  const all = (turns[0]?.red ?? 0) + (turns[0]?.yellow ?? 0);
  return all ? Math.round((100 * (loyal[0] + loyal[1])) / all) : 0;
}
