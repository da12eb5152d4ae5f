import type { Side } from "../../protocol";

export type CastChoice = readonly [sequence: number, choice: number, blind: string];

/**
 * The result of checking a vote. `checked`: it is in the sealed count. `counted`: the server says so, but this phone
 * did not receive the seal. `elsewhere`: a later vote from another device of this voter is in the count. `late`:
 * nothing arrived in time. `missing`: acknowledged, but not in the count. `unsure`: as `missing`, but the phone was
 * disconnected at the end of the turn, so the ballot box may have lost the vote, which voids the acknowledgement.
 */
export type Finding = "checked" | "counted" | "elsewhere" | "late" | "missing" | "unsure";

/** What a phone stores about its vote in a turn. */
export interface Receipt {
  turn: number;
  number: number;
  epoch: number;
  side: Side;
  /** The recent choices. After the check, only the one found in the count, or the one to show as evidence. */
  choices: readonly CastChoice[];
  /** The sequence of the acknowledged choice; it or a later one may count. 0: none. */
  acknowledged: number;
  /** Whether the phone was connected until the end of the turn. */
  watched: boolean;
  found: Finding | null;
  /** Whether the last choice came too late to count. */
  late: boolean;
  /** The root computed from the inclusion proof. */
  root: string;
}
