import { n, p, t } from "../live/i18n";
import { percent } from "../analysis/evaluation";
import type { Solution } from "../verify/bots/solver";
import type { Side } from "../verify/record";
import { other } from "../verify/rules/position";
import type { Puzzle } from "./puzzle";

const MIX_PARTS = 12;

export const sideNames = (): Readonly<Record<Side, string>> => ({ red: p("side", "Red"), yellow: p("side", "Yellow") });

export function question({ kind, side, depth }: Puzzle): string {
  const opponent = sideNames()[other(side)];
  if (kind === "win") return n("Which column wins in %(count)s turn, whatever %(opponent)s plays?", "Which column wins in at most %(count)s turns, whatever %(opponent)s plays?", depth, { opponent });
  if (kind === "safe") return t("Which is the only column after which %(opponent)s can’t force a win?", { opponent });
  return t("%(opponent)s knows how you draw your column, but not the draw. Which way is best?", { opponent });
}

export const difficultyName = ({ difficulty }: Puzzle): string => ({ easy: p("puzzle", "Easy"), medium: p("puzzle", "Medium"), hard: p("puzzle", "Hard") })[difficulty];

export function mixName(mix: readonly number[]): string {
  return mix.flatMap((weight, index) => (weight ? [t("Column %(column)s: %(share)s", { column: index + 1, share: percent(weight / MIX_PARTS) })] : [])).join(" · ");
}

/** What the choice leads to, from the exact solution. */
export function explain(puzzle: Puzzle, choice: number, solution: Solution): string {
  const [opponent, payoffs] = [sideNames()[other(puzzle.side)], ownPayoffs(solution, puzzle.side)];
  if (puzzle.kind === "mix") {
    const [best, own] = [puzzle.answer, choice].map((each) => percent(worst(payoffs, puzzle.mixes[each - 1]!).chance)) as [string, string];
    if (choice === puzzle.answer) return t("Its winning chance is %(best)s, whatever %(opponent)s plays.", { best, opponent });
    return t("%(opponent)s can limit your winning chance to %(own)s. The best mix has %(best)s: %(mix)s", { opponent, own, best, mix: mixName(puzzle.mixes[puzzle.answer - 1]!) });
  }
  if (choice === puzzle.answer) return puzzle.kind === "win" ? t("It wins for certain, whatever %(opponent)s plays.", { opponent }) : t("After every other column, %(opponent)s has a reply that wins for certain.", { opponent });
  const { chance, reply } = worst(payoffs, payoffs.map((_, index) => (index + 1 === choice ? MIX_PARTS : 0)));
  return t("If you play %(column)s and %(opponent)s %(reply)s, your winning chance is %(chance)s. The answer is column %(answer)s.", { column: choice, opponent, reply, chance: percent(chance), answer: puzzle.answer });
}

/** The side's winning chances of its columns, each against the opponent's columns; null if one of them is full. */
function ownPayoffs({ matrix }: Solution, side: Side): (number | null)[][] {
  const chance = (value: number | null) => (value === null ? null : (1 + (side === "red" ? value : -value)) / 2);
  return side === "red" ? matrix.map((row) => row.map(chance)) : matrix[0]!.map((_, column) => matrix.map((row) => chance(row[column]!)));
}

/** The opponent's best reply to a mix, and what it leaves. */
function worst(payoffs: readonly (readonly (number | null)[])[], mix: readonly number[]): { chance: number; reply: number } {
  const replies = payoffs[0]!.map((_, reply) => ({ reply: reply + 1, chance: payoffs.reduce((sum, row, column) => sum + (mix[column]! / MIX_PARTS) * (row[reply] ?? 0), 0), isOpen: payoffs.some((row) => row[reply] !== null) }));
  return replies.filter(({ isOpen }) => isOpen).reduce((least, each) => (each.chance < least.chance ? each : least));
}
