import { Findings, type Report } from "../findings";
import { SIDES, type MatchRecord, type Side } from "../record";
import { GAMES } from "../rules/games";
import type { Position } from "../rules/position";
import { BOTS_VERSION, MAX_STRENGTH, type BotInputs } from "./botPick";
import { readSolverPosition } from "./position";

/** A turn in which the computer voted. */
export interface BotTurn extends BotInputs {
  readonly index: number;
  /** The choices on its ballots. */
  readonly ballots: readonly number[];
}

/** A report, and what is still to be checked for it. */
export interface RecountedMatch extends Report {
  readonly botTurns: readonly BotTurn[];
}

/** Checks what a record says about the computer. */
export function checkBots({ bots }: MatchRecord, findings: Findings): void {
  if (!bots) return;
  if (bots.version !== BOTS_VERSION) return findings.skip(null, null, "computer", "computer-version");
  for (const side of SIDES) if (bots[side] && bots[side] > MAX_STRENGTH) findings.fail(null, null, "form", "field", `bots.${side}`);
}

/** The computer's turn. Null if it doesn't play this side, or with a finding if its pick can't be recomputed. */
export function readBotTurn({ bots, counts, game, options }: MatchRecord, index: number, side: Side, position: Position | null, findings: Findings): BotTurn | null {
  const [strength, count] = [bots?.[side], counts[index]![side]];
  if (!strength || strength > MAX_STRENGTH || !count || bots?.version !== BOTS_VERSION) return null;
  if (!count.ballots.length) findings.skip(index, side, "computer", "computer-absent");
  else if (!GAMES.has(game)) findings.skip(index, side, "computer", "unknown-game");
  else if (!position?.toMove.includes(side)) findings.skip(index, side, "computer", "after-fault");
  else return { index, side, strength, seed: counts[index]!.seed, legal: position.legal(side), position: readSolverPosition(position, options.tie), ballots: count.ballots.map(([choice]) => choice) };
  return null;
}

/** The complete report. `picks` are recomputed, one for each of `botTurns`; null if that was impossible. */
export function comparePicks({ botTurns, ...report }: RecountedMatch, picks: readonly number[] | null): Report {
  const findings = new Findings(report.findings);
  if (botTurns.length && !picks) findings.skip(null, null, "computer", "no-solver");
  picks?.forEach((pick, at) => {
    const { index, side, ballots } = botTurns[at]!;
    findings.expect(ballots.length === 1 && ballots[0] === pick, index, side, "computer", "other-pick", ballots, pick);
  });
  return { ...report, verdict: findings.hasFailed ? "INVALID" : report.verdict, findings: findings.all };
}
