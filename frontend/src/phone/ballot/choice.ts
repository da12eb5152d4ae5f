import type { Board, Match, TallyMethod } from "../../protocol";
import { optionName } from "../../board/geometry";

// The encoding of a choice as a number: see voting/counting/choices.py.

const [RESIGN, SET, RANKING_BASE] = [2 ** 30, 2 ** 29, 256];
const MAX_RANKED = 3;

/** The columns of a choice: a ranking in its order, a set from left to right. */
export function choiceColumns(choice: number | null): number[] {
  const columns = [];
  let said = (choice ?? 0) % RESIGN;
  const isSet = said >= SET;
  if (isSet) said -= SET;
  for (let bit = 1; said; bit++) {
    const digit = said % (isSet ? 2 : RANKING_BASE);
    if (digit) columns.push(isSet ? bit : digit);
    said = Math.floor(said / (isSet ? 2 : RANKING_BASE));
  }
  return columns;
}

export const isResignation = (choice: number | null) => choice !== null && choice >= RESIGN;

export const allowsSeveral = ({ tally_method }: Match) => tally_method === "approval" || tally_method === "instant_runoff";

/** Whether a tap extends the choice (a set, a ranking or a resignation) instead of replacing it. */
export const extendsChoice = (match: Match, choice: number | null) => allowsSeveral(match) || isResignation(choice);

function encodeColumns(columns: readonly number[], method: TallyMethod | null): number {
  if (method !== "approval" || columns.length === 1) return columns.reduce((sum, column, place) => sum + column * RANKING_BASE ** place, 0);
  return columns.reduce((sum, column) => sum + 2 ** (column - 1), SET);
}

/**
 * The choice after a tap on a column. A second tap removes the column, unless it is the only one. In a full ranking of
 * three, a fourth column replaces the last.
 */
export function toggleColumn(choice: number | null, column: number, { tally_method, ...match }: Match): number {
  const wish = isResignation(choice) ? RESIGN : 0;
  if (!allowsSeveral({ tally_method, ...match })) return column + wish;
  const before = choiceColumns(choice);
  const others = before.filter((one) => one !== column);
  if (!others.length) return column + wish;
  const most = tally_method === "instant_runoff" ? MAX_RANKED - 1 : Infinity;
  const after = before.includes(column) ? others : [...others.slice(0, most), column];
  return encodeColumns(after, tally_method) + wish;
}

/** The same columns, with the resignation flag toggled. */
export const toggleResignation = (choice: number) => (isResignation(choice) ? choice - RESIGN : choice + RESIGN);

export function choiceName(board: Pick<Board, "choices">, choice: number): string {
  return choiceColumns(choice).map((column) => optionName(board, column)).join(", ");
}

/** The column's rank in a ranking of several; 0 if it is not ranked. */
export function columnRank(match: Match, choice: number | null, column: number): number {
  const columns = choiceColumns(choice);
  return match.tally_method === "instant_runoff" ? columns.indexOf(column) + 1 : 0;
}
