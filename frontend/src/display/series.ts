import type { EventState } from "../protocol";
import { winnerOf } from "./scene";

/** How a series stands: matches won by each team, drawn ones, and the team that has won it. */
export interface Series {
  won: readonly [number, number];
  drawn: number;
  winner: 1 | 2 | null;
  /** So many won matches decide it; null: it goes on for ever. */
  needed: number | null;
}

/** Winners in order of play, null for a draw. After a decided series the next match begins another. */
export function seriesOf(winners: ReadonlyArray<number | null>, bestOf: number | null): Series {
  const needed = bestOf === null ? null : Math.floor(bestOf / 2) + 1;
  let stands: Series = { won: [0, 0], drawn: 0, winner: null, needed };
  for (const winner of winners) {
    const { won, drawn } = stands.winner === null ? stands : { won: [0, 0] as const, drawn: 0 };
    const now = [won[0] + (winner === 1 ? 1 : 0), won[1] + (winner === 2 ? 1 : 0)] as const;
    const decided = needed !== null && winner !== null && now[winner - 1]! >= needed;
    stands = { won: now, drawn: drawn + (winner === null ? 1 : 0), winner: decided ? (winner as 1 | 2) : null, needed };
  }
  return stands;
}

/** Every match that came to an end, oldest first: its number and its winner, null for a draw. */
export function played({ finished, match }: EventState): ReadonlyArray<readonly [number, number | null]> {
  const all = new Map(finished.map(({ number, winner }) => [number, winner]));
  if (match?.state === "ended") {
    const side = winnerOf(match);
    all.set(match.number, side && match[side]);
  }
  return [...all].sort(([one], [other]) => one - other);
}

export function seriesNow(state: EventState): Series {
  return seriesOf(played(state).map(([, winner]) => winner), state.best_of);
}
