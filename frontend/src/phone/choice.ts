import type { Board, Match, TallyMethod } from "../protocol";
import { nameOf } from "../board/geometry";

// What a ballot's number says: see voting/counting/choices.py.

const [RESIGN, SET, DIGIT] = [2 ** 30, 2 ** 29, 256];
const MOST_RANKED = 3;

/** A ranking's in its order, a set's from left to right. */
export function columnsOf(choice: number | null): number[] {
  const columns = [];
  let said = (choice ?? 0) % RESIGN;
  const isSet = said >= SET;
  if (isSet) said -= SET;
  for (let bit = 1; said; bit++) {
    const digit = said % (isSet ? 2 : DIGIT);
    if (digit) columns.push(isSet ? bit : digit);
    said = Math.floor(said / (isSet ? 2 : DIGIT));
  }
  return columns;
}

export const resigns = (choice: number | null) => choice !== null && choice >= RESIGN;

export const takesSeveral = ({ tally_method }: Match) => tally_method === "approval" || tally_method === "instant_runoff";

/** Whether a press adds to the choice, or to a wish that goes with it. */
export const goesOn = (match: Match, choice: number | null) => takesSeveral(match) || resigns(choice);

function saying(columns: readonly number[], method: TallyMethod | null): number {
  if (method !== "approval" || columns.length === 1) return columns.reduce((sum, column, place) => sum + column * DIGIT ** place, 0);
  return columns.reduce((sum, column) => sum + 2 ** (column - 1), SET);
}

/** The choice after a column was pressed: once more takes it back, but for the only one; of three ranked a fourth takes the last place. */
export function pressed(choice: number | null, column: number, { tally_method, ...match }: Match): number {
  const wish = resigns(choice) ? RESIGN : 0;
  if (!takesSeveral({ tally_method, ...match })) return column + wish;
  const before = columnsOf(choice);
  const others = before.filter((one) => one !== column);
  if (!others.length) return column + wish;
  const most = tally_method === "instant_runoff" ? MOST_RANKED - 1 : Infinity;
  const after = before.includes(column) ? others : [...others.slice(0, most), column];
  return saying(after, tally_method) + wish;
}

/** The same columns, with the wish to resign or without it. */
export const wishing = (choice: number) => (resigns(choice) ? choice - RESIGN : choice + RESIGN);

export function chosenName(board: Pick<Board, "choices">, choice: number): string {
  return columnsOf(choice).map((column) => nameOf(board, column)).join(", ");
}

/** Which place a column has in a ranking of several; 0: none. */
export function rankIn(match: Match, choice: number | null, column: number): number {
  const columns = columnsOf(choice);
  return match.tally_method === "instant_runoff" ? columns.indexOf(column) + 1 : 0;
}
