import type { Side } from "../../protocol";

export type CastChoice = readonly [sequence: number, choice: number, blind: string];

/**
 * `checked`: the vote is in the count that was sealed. `counted`: so the server says, but this phone did not see
 * the seal. `elsewhere`: another device of this voter voted later, and that vote is in the count. `late`: nothing
 * of it came in time. `missing`: it was acknowledged, and is not in the count. `unsure`: neither, but the phone was
 * away when the turn ended: perhaps the ballot box had lost it, and an acknowledgement before that is void.
 */
export type Finding = "checked" | "counted" | "elsewhere" | "late" | "missing" | "unsure";

/** What a phone keeps of its vote in a turn. */
export interface Receipt {
  turn: number;
  number: number;
  epoch: number;
  side: Side;
  /** All that was pressed lately; once judged, the one that was found, or that may be shown. */
  choices: readonly CastChoice[];
  /** The sequence of the acknowledged one: it may count, or one pressed after it. 0: none. */
  acknowledged: number;
  /** Whether the phone was there until the turn was over. */
  watched: boolean;
  found: Finding | null;
  /** Whether what was pressed last did not count. */
  late: boolean;
  /** Where the path led to. */
  root: string;
}
