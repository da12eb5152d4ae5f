import { NUMBER_LOCALE } from "../live/i18n";
import type { Solution } from "../verify/bots/solver";
import type { Side } from "../verify/record";

/** How far an estimated winning chance is off at most, in 95% of cases: ESTIMATE_MARGIN of games/solver. */
const ESTIMATE_MARGIN = 0.15;
/** The same for a search one turn deep: 17 points in 95% of 150 positions with 16 to 18 free cells. */
const QUICK_MARGIN = 0.2;

/** A winning chance with the limits between which it lies. */
export interface Chance {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** `isQuick`: of a search one turn deep. Null if too little is known. If only one side moves, an estimate says nothing. */
export function winningChance({ value, isExact, redMix, yellowMix }: Solution, side: Side, isQuick: boolean): Chance | null {
  if (!isExact && !(redMix.length && yellowMix.length)) return null;
  const chance = (1 + (side === "red" ? value : -value)) / 2;
  const margin = isExact || Math.abs(value) === 1 ? 0 : isQuick ? QUICK_MARGIN : ESTIMATE_MARGIN;
  return { value: chance, low: Math.max(0, chance - margin), high: Math.min(1, chance + margin) };
}

export const percent = (share: number): string => share.toLocaleString(NUMBER_LOCALE, { style: "percent" });
