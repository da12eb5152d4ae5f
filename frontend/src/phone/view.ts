import { phaseOf, sideOf, teamOf, type Phase } from "../live/phase";
import type { Connection } from "../live/socket";
import type { EventState, Match, Reveal, Side, TurnoutCounted } from "../protocol";
import type { Desk } from "./desk";
import type { Mine, Seated } from "./mine";

/** All that is drawn of a seat. */
export interface View extends Mine {
  event: EventState;
  /** Where there is one that counts. */
  match: Match | null;
  team: number;
  side: Side;
  phase: Phase;
  /** The time before a window, for the teams to talk. */
  talking: boolean;
  /** Whether the team votes by a show of hands. */
  hands: boolean;
  now: number;
  turnout: TurnoutCounted | null;
  connection: Connection;
  /** Whether the vote is to be kept from those who look over a shoulder, and whether it is just now. */
  hiding: boolean;
  hidden: boolean;
}

export function viewOf(seated: Seated, team: number, { hiding, holding }: Pick<Desk, "hiding" | "holding">): View {
  const { event, turnout, connection } = seated.store.get();
  const now = seated.clock.now();
  const phase = phaseOf(event!, now);
  const match = phase === "lobby" ? null : event!.match;
  return {
    ...seated.mine.get(),
    ...{ event: event!, match, team, phase, now, turnout, connection, hiding, hidden: hiding && !holding },
    side: sideOf(event!, team),
    talking: phase === "waiting" && !!match?.turn && now >= talkMoment(match),
    hands: event!.teams[team - 1]!.hands,
  };
}

export function talkMoment({ turn, talk_s }: Match): number {
  return talk_s && turn ? turn.opens_at - talk_s * 1000 : Infinity;
}

const LONGEST_NAME = 16;

/** A team's name, short enough for a sentence. */
export function called(event: EventState, side: Side): string {
  const { name } = teamOf(event, side);
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…` : name;
}

/** Whether the votes of the turn are sealed, as far as this phone has heard; they are not counted yet. */
export function isSealed({ phase, seal, match }: View): boolean {
  return phase === "sealed" && seal?.turn === match?.turn?.id;
}

/** Whether a reveal tells of this turn, perhaps as the one that stayed secret until it. */
export function isOf({ turn, concealed }: Reveal, told: number | null): boolean {
  return told === turn || (!!concealed && told === concealed.turn);
}

/** What the voter voted in the turn that is revealed. */
export function ownColumn({ record, match }: Pick<View, "record" | "match">): number | null {
  return match?.reveal && isOf(match.reveal, record.turn) ? record.column : null;
}
