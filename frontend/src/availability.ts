import { ACTIONS, type Action } from "./actions";
import { lastClosed } from "./live/match/phase";
import type { EventState, Match } from "./protocol";

/** What the server refuses in a state, so that neither the console nor the presenter's keys offer it. */

/** Whether the action is possible with the match's time control. */
export function isAllowedByClocks(action: Action, match: Match | null): boolean {
  return !match?.clocks || ACTIONS[action].withClocks;
}

/** Whether sides are secret in the live match: then nobody moves a voter, and vote counts stay hidden. */
export function hasSecretSides(match: Match | null): boolean {
  return match?.state === "playing" && match.max_side_changes > 0;
}

/** Whether the planned end of the event has come: no match starts, and no turn is voted again. */
export function isEventOver({ ends_at }: EventState, now: number): boolean {
  return !!ends_at && now >= ends_at;
}

/** The action for which a match waits in this phase. Null if it doesn't: a concealed turn has no reveal. */
export function hostStep({ match }: EventState, phase: string): "reveal.start" | "turn.open" | null {
  if (!match?.host_wait_s || !match.turn) return null;
  if (phase === "sealed" && match.board.vote !== "concealed") return "reveal.start";
  return phase === "reveal" && !match.turn.paused ? "turn.open" : null;
}

/** The turn that can be taken back. Not in a rated match, nor once secret sides are revealed. */
export function voidableTurn(event: EventState, now: number): { turn: number; number: number } | null {
  const { match } = event;
  const isFinal = match?.state === "ended" && (match.rated || match.max_side_changes > 0);
  return isFinal || isEventOver(event, now) ? null : lastClosed(match);
}
