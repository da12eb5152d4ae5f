// The encoding of a choice as a number: see voting/counting/ballots.py.

export const RESIGN = 2 ** 30;
export const DRAW = 2 * RESIGN;
const [SET, RANKING_BASE] = [2 ** 29, 256];

/** How often a ballot names the column. */
export const countColumn = (columns: readonly number[], column: number) => columns.filter((named) => named === column).length;

export const encodeRanking = (columns: readonly number[]) => columns.reduce((sum, column, rank) => sum + column * RANKING_BASE ** rank, 0);

/** A set of columns, each up to `most` times. */
export const encodeSet = (columns: readonly number[], most: number) =>
  columns.length === 1 ? columns[0]! : columns.reduce((sum, column) => sum + (most + 1) ** (column - 1), SET);

/** The columns of a choice: a ranking in its order, a set from left to right. A set holds each column up to `most` times. */
export function decodeColumns(choice: number | null, most: number): number[] {
  const columns: number[] = [];
  let digits = (choice ?? 0) % RESIGN;
  const isSet = digits >= SET;
  if (isSet) digits -= SET;
  const base = isSet ? most + 1 : RANKING_BASE;
  for (let column = 1; digits; column++) {
    const digit = digits % base;
    if (isSet) columns.push(...Array<number>(digit).fill(column));
    else if (digit) columns.push(digit);
    digits = Math.floor(digits / base);
  }
  return columns;
}
