import type { TallyMethod, Terms } from "./record";

const RESIGN = 2 ** 30;
const SEVERAL = 2 ** 29;
const MAX_CHOICE = 255;
const MAX_APPROVED = 29;
const MAX_SCORED = 11;
const MAX_POINTS = 5;
const MAX_RANKED = 3;

/** What the number on a ballot says. */
export interface Vote {
  /** The choices with their points, 1 for each where the method has none. In a ranking, the first comes first. */
  readonly points: ReadonlyMap<number, number>;
  readonly resigns: boolean;
}

/** The vote that a number means, or null if the terms don't allow the number. */
export function decodeBallot(number: number, terms: Terms): Vote | null {
  if (number < 1 || number >= 2 * RESIGN) return null;
  const resigns = number >= RESIGN;
  if (resigns && !terms.resign) return null;
  const points = decodeChoice(number % RESIGN, terms.tally_method);
  return points && { points, resigns };
}

function decodeChoice(number: number, method: TallyMethod): Map<number, number> | null {
  if (number >= 1 && number <= MAX_CHOICE) return new Map([[number, 1]]);
  if (method === "approval") return decodeApprovals(number - SEVERAL);
  if (method === "score") return decodeScores(number - SEVERAL);
  return method === "instant_runoff" ? decodeRanking(number) : null;
}

function decodeApprovals(mask: number): Map<number, number> | null {
  const approved = new Map<number, number>();
  for (let choice = 1; choice <= MAX_APPROVED; choice++) if (mask >= 0 && mask & (1 << (choice - 1))) approved.set(choice, 1);
  return approved.size > 1 ? approved : null;
}

function decodeScores(number: number): Map<number, number> | null {
  if (number < 0 || number >= (MAX_POINTS + 1) ** MAX_SCORED) return null;
  const scores = new Map<number, number>();
  for (let choice = 1, rest = number; rest; choice++, rest = Math.floor(rest / (MAX_POINTS + 1))) {
    if (rest % (MAX_POINTS + 1)) scores.set(choice, rest % (MAX_POINTS + 1));
  }
  const total = [...scores.values()].reduce((sum, points) => sum + points, 0);
  return total > 1 ? scores : null;
}

function decodeRanking(number: number): Map<number, number> | null {
  const ranked = new Map<number, number>();
  for (let rest = number; rest; rest = Math.floor(rest / (MAX_CHOICE + 1))) {
    const choice = rest % (MAX_CHOICE + 1);
    if (!choice || ranked.has(choice)) return null;
    ranked.set(choice, 1);
  }
  return ranked.size && ranked.size <= MAX_RANKED ? ranked : null;
}
