import { draw } from "./hashes";
import type { Vote } from "./choices";

const SHARES = { half: [1, 2], two_thirds: [2, 3], three_quarters: [3, 4], all: [1, 1] } as const;
type ResignShare = keyof typeof SHARES;

/** The terms of a match that decide how its ballots are counted. */
interface CountingTerms {
  readonly tally_method: string;
  readonly tie_rule: string;
  readonly no_ballot_rule: string;
  readonly resign: ResignShare | null;
}

/** The ballots of one side in one turn, decoded. */
export interface CountedVotes {
  readonly side: string;
  readonly seed: string;
  readonly terms: CountingTerms;
  /** In the order of the record. */
  readonly votes: readonly Vote[];
  /** The position of each ballot in the order of arrival, from 0. */
  readonly arrival: readonly number[];
  /** The position of the captain's ballot. */
  readonly captain: number | null;
  readonly legal: readonly number[];
  /** The length of the lists of counts. */
  readonly choices: number;
}

export interface Decision {
  readonly pick: number | null;
  readonly decidedBy: string;
  readonly rounds: readonly (readonly number[])[];
}

/** The ballots, approvals or points of each choice. */
export function countPoints({ votes, choices }: CountedVotes): number[] {
  const counts = Array<number>(choices).fill(0);
  for (const { points } of votes) for (const [choice, value] of points) counts[choice - 1]! += value;
  return counts;
}

/** The ballots that rank each choice first. */
export const countFirsts = ({ votes, choices }: CountedVotes): number[] => countFavorites(votes.map(first), choices);

/** The pick of a side by the method that `pick` stands for. A side that resigns has none, but its rounds are counted. */
export function decide(counted: CountedVotes, pick: (counted: CountedVotes) => Decision): Decision {
  const { votes, terms } = counted;
  if (!votes.length) return withoutBallots(counted);
  const decision = pick(counted);
  return resigns(votes, terms.resign) ? { ...decision, pick: null, decidedBy: "resign" } : decision;
}

function withoutBallots({ terms, seed, side, legal }: CountedVotes): Decision {
  const rule = terms.no_ballot_rule;
  const pick = rule === "random" ? legal[draw(`${seed}:${side}`, legal.length)]! : null;
  return { pick, decidedBy: rule, rounds: [] };
}

function resigns(votes: readonly Vote[], share: ResignShare | null): boolean {
  if (!share) return false;
  const [part, whole] = SHARES[share];
  return votes.filter((vote) => vote.resigns).length * whole >= votes.length * part;
}

export function lottery({ votes, seed, side }: CountedVotes): Decision {
  const drawn = votes[draw(`${seed}:${side}`, votes.length)]!;
  return { pick: first(drawn), decidedBy: "lottery", rounds: [] };
}

const first = (vote: Vote): number => vote.points.keys().next().value!;

export function most(counted: CountedVotes): Decision {
  return pickLeader(counted, countPoints(counted).reduce((one, other) => Math.max(one, other), 0));
}

/** Picks the choice that has so many votes, or the one that the tie rule chooses of several. */
export function pickLeader(counted: CountedVotes, votes: number): Decision {
  const counts = countPoints(counted);
  const tied = counted.legal.filter((choice) => counts[choice - 1] === votes);
  if (tied.length === 1) return { pick: tied[0]!, decidedBy: counted.terms.tally_method, rounds: [] };
  const names = (vote: Vote, choice: number) => vote.points.has(choice);
  const broken = breakTie(counted, tied, { names, draw: `${counted.seed}:${counted.side}`, wants: (choice) => captainPoints(counted, choice), last: false });
  return { ...broken, rounds: [] };
}

interface Tie {
  /** Whether a ballot counts for a choice. */
  readonly names: (vote: Vote, choice: number, ballot: number) => boolean;
  readonly draw: string;
  /** How much the captain wants a choice. */
  readonly wants: (choice: number) => number;
  /** Look for the choice to eliminate. */
  readonly last: boolean;
}

function breakTie(counted: CountedVotes, tied: readonly number[], tie: Tie): { pick: number; decidedBy: string } {
  const rule = counted.terms.tie_rule;
  if (rule === "first") return { pick: byArrival(counted, tied, tie), decidedBy: rule };
  const wanted = rule === "captain" && counted.captain !== null ? captainsChoices(tied, tie) : tied;
  if (wanted.length === 1) return { pick: wanted[0]!, decidedBy: rule };
  return { pick: wanted[draw(tie.draw, wanted.length)]!, decidedBy: "lot" };
}

function byArrival({ votes, arrival }: CountedVotes, tied: readonly number[], { names, last }: Tie): number {
  const lastArrival = (choice: number) => votes.reduce((latest, vote, ballot) => (names(vote, choice, ballot) ? Math.max(latest, arrival[ballot]!) : latest), -1);
  const arrivals = tied.map(lastArrival);
  return tied[arrivals.indexOf(last ? Math.max(...arrivals) : Math.min(...arrivals))]!;
}

function captainsChoices(tied: readonly number[], { wants, last }: Tie): readonly number[] {
  const wishes = tied.map(wants);
  const best = last ? Math.min(...wishes) : Math.max(...wishes);
  return tied.filter((_, index) => wishes[index] === best);
}

function captainPoints({ votes, captain }: CountedVotes, choice: number): number {
  return votes[captain!]!.points.get(choice) ?? 0;
}

/** How high the captain ranks a choice: 0 if not at all. */
function captainRank({ votes, captain }: CountedVotes, choice: number): number {
  const place = [...votes[captain!]!.points.keys()].indexOf(choice);
  return place < 0 ? 0 : 1 / (place + 1);
}

/** Eliminates choices until one has more than half. A tie between all that remain also eliminates one. */
export function runoff(counted: CountedVotes): Decision {
  const firsts = countFirsts(counted);
  const rounds: number[][] = [];
  let racing = counted.legal.filter((choice) => firsts[choice - 1]! > 0);
  let decidedBy = "runoff";
  for (;;) {
    const favorites = counted.votes.map((vote) => [...vote.points.keys()].find((choice) => racing.includes(choice)));
    const counts = countFavorites(favorites, counted.choices);
    rounds.push(counts);
    const winner = majority(racing, counts);
    if (winner) return { pick: winner, decidedBy, rounds };
    const fewest = Math.min(...racing.map((choice) => counts[choice - 1]!));
    const tied = racing.filter((choice) => counts[choice - 1] === fewest);
    const loser = eliminated(counted, tied, favorites, rounds.length);
    if (tied.length === racing.length) decidedBy = loser.decidedBy;
    racing = racing.filter((choice) => choice !== loser.pick);
    if (racing.length === 1) return { pick: racing[0]!, decidedBy, rounds };
  }
}

function countFavorites(favorites: readonly (number | undefined)[], choices: number): number[] {
  const counts = Array<number>(choices).fill(0);
  for (const choice of favorites) if (choice) counts[choice - 1]!++;
  return counts;
}

function majority(racing: readonly number[], counts: readonly number[]): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return racing.find((choice) => 2 * counts[choice - 1]! > total);
}

function eliminated(counted: CountedVotes, tied: readonly number[], favorites: readonly (number | undefined)[], round: number) {
  if (tied.length === 1) return { pick: tied[0]!, decidedBy: "runoff" };
  const names = (_: Vote, choice: number, ballot: number) => favorites[ballot] === choice;
  return breakTie(counted, tied, { names, draw: `${counted.seed}:${counted.side}:${round}`, wants: (choice) => captainRank(counted, choice), last: true });
}
