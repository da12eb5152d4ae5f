import { COUNTED_DECISIONS } from "../../methods";
import type { Match, Reveal, Side, SideTally } from "../../protocol";
import { tallyForSide } from "../scene/places";

/** What the reveal replays: two columns with almost equal votes, or a conflict that decided the match. */
export type CloseCall =
  | { kind: "count"; side: Side; first: number; second: number; margin: number }
  | { kind: "conflict"; side: Side };

const FEW_VOTES = 3;
const FEW_OF_MANY = 0.01;
/** With fewer ballots, every margin is only a few votes. */
const MIN_BALLOTS = 10;
/** Shorter reveals leave no time for a replay. */
const LONG_ENOUGH_S = 5;

export function findCloseCall({ reveal_s }: Match, reveal: Reveal, tallyShown: boolean): CloseCall | null {
  if (reveal_s < LONG_ENOUGH_S) return null;
  const side = decidedByConflict(reveal);
  if (side) return { kind: "conflict", side };
  return tallyShown ? closest(reveal) : null;
}

/** The winner whose line includes the ball that it placed in a conflict, or null. */
function decidedByConflict({ resolution: { conflict, result, drops, lines } }: Reveal): Side | null {
  if (conflict === null || drops.length < 2 || (result !== "red" && result !== "yellow")) return null;
  const own = drops.find(({ side }) => side === result);
  const holds = lines.some((line) => line.some(([column, row]) => column === own?.column && row === own.row));
  return holds ? result : null;
}

function closest(reveal: Reveal): CloseCall | null {
  const sides: readonly Side[] = ["red", "yellow"];
  const calls = sides.flatMap((side) => {
    const tally = tallyForSide(reveal, side);
    return tally ? closeCount(side, tally) : [];
  });
  return calls.sort((one, other) => one.margin - other.margin)[0] ?? null;
}

function closeCount(side: Side, tally: SideTally): Array<CloseCall & { kind: "count" }> {
  const { counts, ballots, pick, decided_by, rounds } = tally;
  if (pick === null || rounds || ballots < MIN_BALLOTS || !decided_by || ![...COUNTED_DECISIONS, "first", "lot"].includes(decided_by)) return [];
  const second = runnerUp(counts, pick);
  const margin = (counts[pick - 1] ?? 0) - (counts[second - 1] ?? 0);
  const few = Math.max(FEW_VOTES, ballots * FEW_OF_MANY);
  return second && counts[second - 1] && margin <= few ? [{ kind: "count", side, first: pick, second, margin }] : [];
}

/** The column with the second most votes; 0 if there is none. */
function runnerUp(counts: readonly number[], pick: number): number {
  const others = counts.map((count, index) => [count, index + 1] as const).filter(([, column]) => column !== pick);
  return others.sort(([one], [other]) => other - one)[0]?.[1] ?? 0;
}
