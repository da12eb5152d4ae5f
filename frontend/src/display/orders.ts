import { lastClosed } from "../live/phase";
import type { Action, EventState } from "../protocol";
import type { Phase } from "./scene";

/** What a presenter's key asks the event for. `sure`: the line before the second press; empty: at once. */
export interface Order {
  action: Action;
  turn: number | null;
  seconds: number | null;
  sure: string;
}

export type Wish = "next" | "pause" | "extend" | "close" | "undo" | "lock";

/** The order behind a key at this moment, or in words why there is none. */
export function orderFor(wish: Wish, state: EventState, phase: Phase): Order | string {
  switch (wish) {
    case "next":
      return next(state, phase);
    case "pause":
      return pause(state, phase);
    case "extend":
      return extend(state, phase);
    case "close":
      return close(state, phase);
    case "undo":
      return undo(state);
    default:
      return lock(state);
  }
}

const BY_ITSELF: Partial<Record<Phase, string>> = {
  talk: "The vote opens by itself",
  sealed: "The votes are being counted",
  reveal: "The next turn opens by itself",
};

function next(state: EventState, phase: Phase): Order | string {
  const { match, lobby } = state;
  if (match?.state === "playing") {
    if (phase === "paused") return pause(state, phase);
    return BY_ITSELF[phase] ?? close(state, phase);
  }
  if (phase === "reveal") return "The last reveal is on";
  if (lobby === "closed") return order("lobby.open");
  return order("match.start", { sure: `Press again to start ${match ? "the next match" : "the match"}` });
}

function pause({ match }: EventState, phase: Phase): Order | string {
  const turn = match?.turn;
  if (!turn || phase === "sealed") return "There is nothing to pause";
  return order(turn.paused ? "turn.resume" : "turn.pause", { turn: turn.id });
}

function extend({ match }: EventState, phase: Phase): Order | string {
  const turn = match?.turn;
  if (!turn || phase === "sealed") return "No vote is open";
  return order("turn.extend", { turn: turn.id, seconds: stretch(match.window_s) });
}

/** How much more time is worth a key, by the length of the window. */
function stretch(windowS: number): number {
  if (windowS > 43_200) return 3600;
  return windowS > 600 ? 600 : 10;
}

function close({ match }: EventState, phase: Phase): Order | string {
  const turn = match?.turn;
  if (!turn || (phase !== "voting" && phase !== "paused")) return "No vote is open";
  return order("turn.close", { turn: turn.id, sure: "Press again to close the vote now" });
}

function undo({ match }: EventState): Order | string {
  const last = lastClosed(match);
  if (!last) return "There is no turn to take back";
  return order("turn.void", { turn: last.turn, sure: `Press again to take back turn ${last.number}` });
}

function lock({ lobby }: EventState): Order | string {
  if (lobby === "closed") return "The lobby is not open yet";
  return order(lobby === "locked" ? "joining.unlock" : "joining.lock");
}

function order(action: Action, rest: Partial<Order> = {}): Order {
  return { action, turn: null, seconds: null, sure: "", ...rest };
}
