import type { Link } from "../../live/connection/connect";
import type { Store } from "../../live/state/store";
import type { DropAnswered, DuelRefused, Error, NicknameAnswered, PhoneMessage, AcceptedSideChange, TeamCounted, ToPhone, TurnSealed } from "../../protocol";
import type { Ballot } from "../ballot/ballot";
import type { Receipt } from "../receipts/receipt";
import type { SealCheck } from "../receipts/sealChecks";
import type { MatchRecord } from "./storage";

/** State that belongs to this voter only. */
export interface VoterState {
  /** Whether this device had the seat before. */
  returned: boolean;
  /** From the page or the stored seat token, until the server confirms it. */
  team: number | null;
  /** Whether the team has changed. */
  moved: boolean;
  /** The voter code shown to people. */
  voterCode: string;
  /** Why there is no seat yet. */
  blockedBy: Error | null;
  ballot: Ballot;
  record: MatchRecord;
  receipts: readonly Receipt[];
  /** The own team's votes so far, if the event shows them. */
  counts: TeamCounted | null;
  /** The seal of a turn's votes, once received. */
  seal?: TurnSealed;
  /** Whether the seals that this phone received are those of the published record, once compared. */
  sealCheck?: SealCheck | null;
  /** The last answer to a request to mark the voter's drop. */
  drop?: DropAnswered | null;
  /** Why the last request of a duel's player was refused. */
  duelRefused?: DuelRefused;
  /** The voter's nickname, once asked for. */
  nickname?: NicknameAnswered | null;
  /** With secret sides: the voter's changes in this match, and whether the last one came too late. */
  sideChanges: readonly AcceptedSideChange[];
  sideRefused?: boolean;
}

/** A phone in an event: its socket, its seat and its ballot. */
export interface SeatedPhone extends Link<PhoneMessage, ToPhone> {
  voter: Store<VoterState>;
  cast: (choice: number) => void;
  choose: (team: number) => void;
  /** Sends a ticket or code. */
  show: (typed: string) => void;
  /** Joins again after another window took the seat or the server closed the connection. */
  reclaim: () => void;
  leave: () => void;
}
