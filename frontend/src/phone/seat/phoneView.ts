import { currentPhase, sideForTeam, type Phase } from "../../live/match/phase";
import type { Connection } from "../../live/connection/connect";
import type { EventState, Match, Reveal, Side, TurnoutCounted } from "../../protocol";
import type { PhoneScreen } from "../phoneScreen";
import type { VoterState, SeatedPhone } from "./voterState";

/** Everything that the screen of a seat is drawn from. */
export interface PhoneView extends VoterState {
  event: EventState;
  /** The current match, unless it was aborted. */
  match: Match | null;
  team: number;
  side: Side;
  phase: Phase;
  /** Discussion time before a window. */
  talking: boolean;
  /** Whether the team votes without phones. */
  hands: boolean;
  now: number;
  turnout: TurnoutCounted | null;
  connection: Connection;
  /** `hiding`: the vote is hidden from onlookers. `hidden`: it is hidden at this moment. */
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
    hands: event!.teams[team - 1]!.source !== "phones",
  };
}

/** When the discussion before a window begins. */
export function talkStart({ turn }: Match): number {
  return turn?.talk_ms ? turn.opens_at - turn.talk_ms : Infinity;
}

/** Whether the turn's votes are sealed, as far as this phone knows, but not counted yet. */
export function isSealed({ phase, seal, match }: PhoneView): boolean {
  return phase === "sealed" && seal?.turn === match?.turn?.id;
}

/** Whether a reveal includes this turn, possibly as the one that was concealed until then. */
export function revealsTurn({ turn, concealed }: Reveal, turnId: number | null): boolean {
  return turnId === turn || (!!concealed && turnId === concealed.turn);
}

/** The voter's choice in the revealed turn. */
export function ownColumn({ record, match }: Pick<PhoneView, "record" | "match">): number | null {
  return match?.reveal && revealsTurn(match.reveal, record.turn) ? record.choice : null;
}
