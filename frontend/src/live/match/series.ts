import type { EventState } from "../../protocol";

/** Matches won by team 1 and team 2 in the current series. `winner` is the team that has decided it. */
export interface Series {
  won: readonly [number, number];
  decided: boolean;
  winner: 1 | 2 | null;
}

const EMPTY_SERIES: Series = { won: [0, 0], decided: false, winner: null };

/** A series is won by more than half of `best_of` matches. Draws count for nobody. */
export function currentSeries(event: EventState): Series {
  const last = event.finished[event.finished.length - 1];
  const series = event.finished.reduce<Series>((soFar, { winner }) => addMatch(soFar, winner, event.best_of), EMPTY_SERIES);
  const another = !!event.match && !!last && event.match.number > last.number;
  return series.decided && another ? EMPTY_SERIES : series;
}

/** How many wins decide a series, such as 2 of 3. Null outside a series. */
export function winsNeeded(event: EventState): number | null {
  return event.best_of === null ? null : Math.floor(event.best_of / 2) + 1;
}

/** The first match after a decided series begins a new one. */
function addMatch(series: Series, winner: number | null, bestOf: number | null): Series {
  const before = series.decided ? EMPTY_SERIES : series;
  if (winner === null) return before;
  const [one, two] = before.won;
  const won: readonly [number, number] = winner === 1 ? [one + 1, two] : [one, two + 1];
  const decided = bestOf !== null && Math.max(...won) > bestOf / 2;
  return { won, decided, winner: decided ? (winner as 1 | 2) : null };
}
