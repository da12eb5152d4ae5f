import type { Link } from "../live/connect";
import type { Store } from "../live/value";
import type { ErrorTold, PhoneMessage, SideTaken, TeamCounted, ToPhone, TurnSealed } from "../protocol";
import type { Ballot } from "./ballot";
import type { Receipt } from "./receipt";
import type { Record } from "./seat";

/** What only this voter knows. */
export interface Mine {
  /** Whether the seat was this device's before. */
  returned: boolean;
  /** As the page or the kept seat says it, until the server does. */
  team: number | null;
  /** Whether the team is another than it was. */
  moved: boolean;
  /** What people call the seat by. */
  sign: string;
  /** Why there is no seat yet. */
  hindrance: ErrorTold | null;
  ballot: Ballot;
  record: Record;
  receipts: readonly Receipt[];
  /** The own team's votes so far, where the event tells them. */
  counts: TeamCounted | null;
  /** That a turn's votes are sealed, once that was heard. */
  seal?: TurnSealed;
  /** Where sides are secret: the voter's changes in this match, and whether the last one asked for came too late. */
  changes: readonly SideTaken[];
  sideRefused?: boolean;
}

/** A phone in an event: its socket, its seat, its ballot. */
export interface Seated extends Link<PhoneMessage, ToPhone> {
  mine: Store<Mine>;
  cast: (column: number) => void;
  choose: (team: number) => void;
  /** Shows a code at the door. */
  show: (typed: string) => void;
  /** Joins again where the seat was given up to another window, or where the server sent it away. */
  reclaim: () => void;
  leave: () => void;
}
