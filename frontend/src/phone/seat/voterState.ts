import type { Link } from "../../live/connection/connect";
import type { Store } from "../../live/state/store";
import type { Error, PhoneMessage, AcceptedSideChange, TeamCounted, ToPhone, TurnSealed } from "../../protocol";
import type { Ballot } from "../ballot/ballot";
import type { Receipt } from "../receipts/receipt";
import type { MatchRecord } from "./storage";

/** What only this voter knows. */
export interface VoterState {
  /** Whether the seat was this device's before. */
  returned: boolean;
  /** As the page or the kept seat says it, until the server does. */
  team: number | null;
  /** Whether the team is another than it was. */
  moved: boolean;
  /** What people call the seat by. */
  voterCode: string;
  /** Why there is no seat yet. */
  blockedBy: Error | null;
  ballot: Ballot;
  record: MatchRecord;
  receipts: readonly Receipt[];
  /** The own team's votes so far, where the event tells them. */
  counts: TeamCounted | null;
  /** That a turn's votes are sealed, once that was heard. */
  seal?: TurnSealed;
  /** Where sides are secret: the voter's changes in this match, and whether the last one asked for came too late. */
  sideChanges: readonly AcceptedSideChange[];
  sideRefused?: boolean;
}

/** A phone in an event: its socket, its seat, its ballot. */
export interface SeatedPhone extends Link<PhoneMessage, ToPhone> {
  voter: Store<VoterState>;
  cast: (choice: number) => void;
  choose: (team: number) => void;
  /** Shows a code at the door. */
  show: (typed: string) => void;
  /** Joins again where the seat was given up to another window, or where the server sent it away. */
  reclaim: () => void;
  leave: () => void;
}
