import { currentPhase, sideForTeam, teamForSide, type Phase } from "../../live/match/phase";
import type { Connection } from "../../live/connection/socket";
import type { EventState, Match, Reveal, Side, TurnoutCounted } from "../../protocol";
import type { PhoneScreen } from "../phoneScreen";
import type { VoterState, SeatedPhone } from "./voterState";

/** All that is drawn of a seat. */
export interface PhoneView extends VoterState {
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

export function phoneView(seated: SeatedPhone, team: number, { hiding, holding }: Pick<PhoneScreen, "hiding" | "holding">): PhoneView {
  const { event, turnout, connection } = seated.store.get();
  const now = seated.clock.now();
  const phase = currentPhase(event!, now);
  const match = phase === "lobby" ? null : event!.match;
  return {
    ...seated.voter.get(),
    ...{ event: event!, match, team, phase, now, turnout, connection, hiding, hidden: hiding && !holding },
    side: sideForTeam(event!, team),
    talking: phase === "waiting" && !!match?.turn && now >= talkStart(match),
    hands: event!.teams[team - 1]!.hands,
  };
}

export function talkStart({ turn, talk_s }: Match): number {
  return talk_s && turn ? turn.opens_at - talk_s * 1000 : Infinity;
}

const LONGEST_NAME = 16;

/** A team's name, short enough for a sentence. */
export function shortTeamName(event: EventState, side: Side): string {
  const { name } = teamForSide(event, side);
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…` : name;
}

/** Whether the votes of the turn are sealed, as far as this phone has heard; they are not counted yet. */
export function isSealed({ phase, seal, match }: PhoneView): boolean {
  return phase === "sealed" && seal?.turn === match?.turn?.id;
}

/** Whether a reveal tells of this turn, perhaps as the one that stayed secret until it. */
export function revealsTurn({ turn, concealed }: Reveal, turnId: number | null): boolean {
  return turnId === turn || (!!concealed && turnId === concealed.turn);
}

/** What the voter voted in the turn that is revealed. */
export function ownColumn({ record, match }: Pick<PhoneView, "record" | "match">): number | null {
  return match?.reveal && revealsTurn(match.reveal, record.turn) ? record.choice : null;
}
