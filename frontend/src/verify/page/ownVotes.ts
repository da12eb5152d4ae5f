import { MAX_VOTES } from "../../methods";
import { decodeColumns } from "../../phone/ballot/encoding";
import type { CastChoice, Finding, Receipt } from "../../phone/receipts/receipt";
import { SIDES, type MatchRecord, type TurnCount } from "../record";

/** A vote of this browser: the one in the record if it is `counted`, else the last one. */
export interface OwnVote {
  /** Its turn's number in the match, from 1. */
  readonly number: number;
  readonly columns: readonly number[];
  readonly code: string;
  readonly found: "counted" | Extract<Finding, "elsewhere" | "late" | "missing" | "unsure">;
}

/** Searches the record for each vote that the browser keeps for this match. Void turns have no votes there. */
export function findOwnVotes({ counts, terms }: MatchRecord, receipts: readonly Receipt[]): readonly OwnVote[] {
  const most = MAX_VOTES[terms.tally_method as keyof typeof MAX_VOTES];
  return counts.flatMap((count, at) => {
    const receipt = receipts.find(({ turn, choices }) => turn === count.turn && choices.length > 0);
    if (!receipt) return [];
    const counted = receipt.choices.find((own) => isCounted(own, count));
    const [, choice, code] = counted ?? receipt.choices[receipt.choices.length - 1]!;
    const columns = [...new Set(decodeColumns(choice, most))];
    return [{ number: at + 1, columns, code, found: counted ? "counted" : whyNotCounted(receipt) }];
  });
}

/** Of a voter with a secret side, only the record may know the side. */
function isCounted([, choice, code]: CastChoice, count: TurnCount): boolean {
  return SIDES.some((side) => count[side]?.ballots.some((ballot) => ballot[0] === choice && ballot[1] === code));
}

/** The ballot box may have lost an acknowledged vote while this phone was offline, which voids the acknowledgment. */
function whyNotCounted({ acknowledged, watched, found }: Receipt): OwnVote["found"] {
  if (found === "elsewhere" || found === "unsure") return found;
  if (found === "missing" || found === "checked") return "missing";
  if (!acknowledged) return "late";
  return watched ? "missing" : "unsure";
}
