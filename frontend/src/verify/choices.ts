/** The choices of a ballot with their points, 1 for each where the method has none. In a ranking, the first comes first. */
export type Points = ReadonlyMap<number, number>;

const RESIGN = 2 ** 30;
const DRAW = 2 * RESIGN;
const SEVERAL = 2 ** 29;
const MAX_CHOICE = 255;
const MAX_APPROVED = 29;
const MAX_SCORED = 11;
const MAX_POINTS = 5;
const MAX_RANKED = 3;

/** What the number on a ballot says. */
export interface Vote {
  readonly points: Points;
  readonly resigns: boolean;
}

/** The vote that a number means, or null if it is not allowed. `decode` reads a ballot that doesn't name a single choice. */
export function decodeBallot(number: number, { resign, draw_offers }: { resign: string | null; draw_offers: boolean }, decode?: (number: number) => Points | null): Vote | null {
  const wish = Math.floor(number / RESIGN);
  if (![true, resign !== null, draw_offers][wish]) return null;
  const choice = number % RESIGN;
  const points = choice >= 1 && choice <= MAX_CHOICE ? new Map([[choice, 1]]) : decode?.(choice);
  return points ? { points, resigns: wish === 1 } : null;
}

/** Whether a ballot offers or accepts a draw. */
export const asksForDraw = (number: number): boolean => number >= DRAW;

export function decodeApprovals(number: number): Points | null {
  const mask = number - SEVERAL;
  const approved = new Map<number, number>();
  for (let choice = 1; choice <= MAX_APPROVED; choice++) if (mask >= 0 && mask & (1 << (choice - 1))) approved.set(choice, 1);
  return approved.size > 1 ? approved : null;
}

export function decodeScores(number: number): Points | null {
  const points = number - SEVERAL;
  if (points < 0 || points >= (MAX_POINTS + 1) ** MAX_SCORED) return null;
  const scores = new Map<number, number>();
  for (let choice = 1, rest = points; rest; choice++, rest = Math.floor(rest / (MAX_POINTS + 1))) {
    if (rest % (MAX_POINTS + 1)) scores.set(choice, rest % (MAX_POINTS + 1));
  }
  const total = [...scores.values()].reduce((sum, each) => sum + each, 0);
  return total > 1 ? scores : null;
}

export function decodeRanking(number: number): Points | null {
  const ranked = new Map<number, number>();
  for (let rest = number; rest; rest = Math.floor(rest / (MAX_CHOICE + 1))) {
    const choice = rest % (MAX_CHOICE + 1);
    if (!choice || ranked.has(choice)) return null;
    ranked.set(choice, 1);
  }
  return ranked.size && ranked.size <= MAX_RANKED ? ranked : null;
}
