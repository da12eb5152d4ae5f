import { DEFAULT_METHOD, MAX_VOTES } from "../../methods";
import type { Match, SideTally } from "../../protocol";

type Method = Pick<Match, "tally_method">;

/** Whether a ballot can give a choice several votes, so that votes are points. */
export const hasPoints = (match: Method) => maxVotes(match) > 1;

const maxVotes = ({ tally_method }: Method) => MAX_VOTES[tally_method ?? DEFAULT_METHOD];

/** The most votes that a choice could have. */
export const mostVotes = (match: Method, { ballots }: SideTally) => ballots * maxVotes(match);

/** The number of votes for the pick in the last round, and the most that it could have in that round. */
export function support(match: Method, tally: SideTally): readonly [votes: number, of: number] {
  const { counts, pick, rounds } = tally;
  const last = rounds?.[rounds.length - 1];
  const votes = (last ?? counts)[pick! - 1] ?? 0;
  return [votes, last ? last.reduce((sum, count) => sum + count, 0) : mostVotes(match, tally)];
}
