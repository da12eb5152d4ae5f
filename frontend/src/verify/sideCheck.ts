import { decodeBallot, type Vote } from "./choices";
import { decide, type CountedVotes, type Decision } from "./counting";
import type { Findings } from "./findings";
import { compareHashes, leafHash, lotHash, textHash, toHex, TreeRoot, type Hash } from "./hashes";
import { findMethod } from "./methods";
import type { MatchRecord, Side, SideCount, TurnCount } from "./record";

const DRAWN: readonly string[] = ["lot", "lottery", "random"];

/** Ballots hashed in one step. */
export const STEP = 500;

interface SideTurn {
  readonly record: MatchRecord;
  readonly index: number;
  readonly side: Side;
  readonly count: SideCount;
  /** The number of choices, or null if the game isn't known. */
  readonly choices: number | null;
}

/** Recounts a side's ballots of one turn. Yields the number of ballots hashed since it last did. */
export function* checkSide(turn: SideTurn, findings: Findings): Generator<number, void> {
  const { record, index, side, count } = turn;
  const { turn: id } = record.counts[index]!;
  const leaves: Hash[] = [];
  for (const [choice, blind] of count.ballots) {
    leaves.push(leafHash(`${id}:${side}:${choice}:${blind}`));
    if (leaves.length % STEP === 0) yield STEP;
  }
  yield leaves.length % STEP;
  yield* checkRoot(turn, findings, leaves);
  const votes = checkBallots(turn, findings);
  if (!votes) {
    for (const check of ["counts", "pick"] as const) findings.skip(index, side, check, "after-fault");
    return;
  }
  const arrival = inverse(count.arrivals?.length ? count.arrivals : leaves.map((_, ballot) => ballot));
  const { captain, legal } = count;
  checkCount(turn, findings, { side, seed: mixedSeed(record.counts[index]!), terms: record.terms, votes, arrival, captain, legal, choices: count.counts.length });
}

/** Whether the seed alone decides draws, as in turns of earlier versions. */
export function isDrawnFromSeed({ seed, lot }: TurnCount): boolean {
  return lotHash(seed) === lot;
}

/** What decides the draws of a turn: its seed and both roots. */
function mixedSeed(count: TurnCount): string {
  const { seed, red, yellow } = count;
  return isDrawnFromSeed(count) ? seed : textHash(`${seed}:${red?.root ?? ""}:${yellow?.root ?? ""}`);
}

function inverse(permutation: readonly number[]): number[] {
  const places: number[] = [];
  permutation.forEach((item, place) => (places[item] = place));
  return places;
}

function isPermutation(items: readonly number[], length: number): boolean {
  return items.length === length && new Set(items).size === length && items.every((item) => item < length);
}

/** In version 2, the server decided the order of the ballots. */
function* checkRoot({ record, index, side, count }: SideTurn, findings: Findings, leaves: readonly Hash[]): Generator<number, void> {
  const isSorted = record.version === 2 || leaves.every((leaf, ballot) => !ballot || compareHashes(leaves[ballot - 1]!, leaf) <= 0);
  if (!isSorted) return findings.fail(index, side, "root", "unsorted");
  const tree = new TreeRoot();
  for (const [place, leaf] of leaves.entries()) {
    tree.add(leaf);
    if (place % STEP === 0) yield 0;
  }
  const root = toHex(tree.root);
  findings.expect(root === count.root, index, side, "root", "other-root", count.root, root);
}

/** The decoded ballots, or null if one is not allowed. */
function checkBallots({ record, index, side, count, choices }: SideTurn, findings: Findings): Vote[] | null {
  const { ballots, legal, counts, arrivals, captain } = count;
  const ascending = legal.length > 0 && legal.every((choice, place) => choice > (legal[place - 1] ?? 0));
  if (!ascending || legal[legal.length - 1]! > counts.length) return refuse("field", "legal");
  if (choices !== null && counts.length !== choices) return refuse("field", "counts");
  const { tie_rule } = record.terms;
  if (captain !== null && (tie_rule !== "captain" || captain >= ballots.length)) return refuse("captain");
  const listed = tie_rule === "first" && (record.version > 2 || arrivals?.length) ? ballots.length : 0;
  if (!isPermutation(arrivals ?? [], listed)) return refuse("arrivals");
  const { decode } = findMethod(record.terms.tally_method);
  const votes = ballots.map(([choice]) => decodeBallot(choice, record.terms, decode));
  const illegal = votes.findIndex((vote) => !vote || [...vote.points.keys()].some((choice) => !legal.includes(choice)));
  if (illegal >= 0) return refuse("illegal-ballot", ballots[illegal]![0]);
  findings.pass(index, side, "ballots");
  return votes as Vote[];

  function refuse(reason: "field" | "captain" | "arrivals" | "illegal-ballot", found?: unknown): null {
    findings.fail(index, side, "ballots", reason, found);
    return null;
  }
}

function checkCount(turn: SideTurn, findings: Findings, counted: CountedVotes): void {
  const { index, side, count } = turn;
  const method = findMethod(counted.terms.tally_method);
  const counts = method.count(counted);
  findings.expect(sameNumbers(counts, count.counts), index, side, "counts", "other-counts", count.counts, counts);
  const decision = decide(counted, method.decide);
  if (lostOnTime(turn, decision)) return findings.skip(index, side, "pick", "time");
  const rounds = count.rounds ?? [];
  const sameRounds = rounds.length === decision.rounds.length && rounds.every((round, place) => sameNumbers(round, decision.rounds[place]!));
  if (!sameRounds) return findings.fail(index, side, "pick", "other-rounds");
  const [found, expected] = [[count.pick, count.decided_by], [decision.pick, decision.decidedBy]];
  if (String(found) !== String(expected)) return findings.fail(index, side, "pick", "other-pick", found, expected);
  if (decision.decidedBy === "first") return findings.skip(index, side, "pick", "by-arrival");
  if (DRAWN.includes(decision.decidedBy) && isDrawnFromSeed(turn.record.counts[index]!)) return findings.skip(index, side, "pick", "by-seed");
  findings.pass(index, side, "pick");
}

function sameNumbers(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((number, index) => number === other[index]);
}

/** In a match with clocks, only the side that ran out of time loses; the other one needs no ballots. */
function lostOnTime({ record, index, side, count }: SideTurn, decision: Decision): boolean {
  const opponent = record.counts[index]![side === "red" ? "yellow" : "red"];
  const isLast = index === record.counts.length - 1 && record.ended_by === "time";
  return isLast && decision.decidedBy === "forfeit" && count.decided_by === "pass" && count.pick === null && opponent?.decided_by === "forfeit";
}
