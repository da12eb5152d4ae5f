import { decodeApprovals, decodeRanking, decodeScores, type Points } from "./choices";
import { countFirsts, countPoints, lottery, most, runoff, type CountedVotes, type Decision } from "./counting";

/** How ballots of a tally method are counted. */
interface Method {
  readonly decide: (counted: CountedVotes) => Decision;
  readonly count: (counted: CountedVotes) => number[];
  /** Decodes a ballot that doesn't name a single choice; null if the number is not allowed. */
  readonly decode?: (number: number) => Points | null;
}

const METHODS: Readonly<Record<string, Method>> = {
  plurality: { decide: most, count: countPoints },
  lottery: { decide: lottery, count: countPoints },
  approval: { decide: most, count: countPoints, decode: decodeApprovals },
  instant_runoff: { decide: runoff, count: countFirsts, decode: decodeRanking },
  score: { decide: most, count: countPoints, decode: decodeScores },
};

export const TALLY_METHODS: readonly string[] = Object.keys(METHODS);

export const findMethod = (name: string): Method => METHODS[name]!;
