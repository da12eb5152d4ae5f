import type { Phase } from "../live/phase";
import type { Action, EventState } from "../protocol";
import { span } from "./words";

/** A button: what it asks for, and whether that can be asked now. `turn` is the turn it is meant for. */
export interface Offer {
  action: Action;
  label: string;
  shortcut: string;
  enabled: boolean;
  turn: number | null;
  seconds?: number;
  phones?: number;
  /** What the button says between the first press and the second. */
  sure?: string;
}

/** The one next action, the one beside it, and the rest, always in the same places. */
export interface Offers {
  main: Offer;
  beside: Offer | null;
  rest: readonly Offer[];
}

const RUNNING: readonly Phase[] = ["waiting", "voting", "reveal"];

export function offersOf(event: EventState, phase: Phase): Offers {
  const [main, beside] = foremost(event, phase);
  const [little, more] = stretches(event.match?.window_s ?? 0);
  const extensions = [extend(event, phase, little, "E"), extend(event, phase, more, "Shift E")];
  return { main, beside, rest: [...extensions, takeBack(event), joining(event), abort(event)] };
}

function foremost(event: EventState, phase: Phase): [Offer, Offer | null] {
  if (event.match?.state !== "playing") return between(event, phase);
  if (phase === "paused") return [resume(event), close(event, phase)];
  if (phase === "voting" || phase === "sealed") return [close(event, phase), pause(event, phase)];
  return [pause(event, phase), null];
}

function between(event: EventState, phase: Phase): [Offer, Offer | null] {
  if (event.lobby === "closed") return [openLobby(), start(event, phase, "Start at once")];
  return [start(event, phase, event.match ? "Start the next match" : "Start the match"), null];
}

function openLobby(): Offer {
  return { action: "lobby.open", label: "Open the lobby", shortcut: "", enabled: true, turn: null };
}

function start(event: EventState, phase: Phase, label: string): Offer {
  const over = event.match?.state !== "ended" || phase === "ended";
  return { action: "match.start", label: over ? label : "The last reveal is on", shortcut: "", enabled: over, turn: null };
}

function ofTurn(event: EventState, enabled: boolean): Pick<Offer, "enabled" | "turn"> {
  const turn = event.match?.turn ?? null;
  return { enabled: enabled && turn !== null, turn: turn?.id ?? null };
}

function pause(event: EventState, phase: Phase): Offer {
  const label = phase === "reveal" || phase === "waiting" ? "Hold the next turn" : "Pause";
  return { action: "turn.pause", label, shortcut: "P", ...ofTurn(event, RUNNING.includes(phase)) };
}

function resume(event: EventState): Offer {
  return { action: "turn.resume", label: "Resume", shortcut: "P", ...ofTurn(event, true) };
}

function close(event: EventState, phase: Phase): Offer {
  const label = phase === "sealed" ? "Counting the votes" : "Close now";
  return { action: "turn.close", label, shortcut: "C", ...ofTurn(event, phase === "voting" || phase === "paused") };
}

/** How much more time is worth a button, by the length of the window. */
function stretches(windowS: number): readonly [number, number] {
  if (windowS > 43_200) return [3600, 86_400];
  return windowS > 600 ? [600, 3600] : [10, 30];
}

function extend(event: EventState, phase: Phase, seconds: number, shortcut: string): Offer {
  const enabled = phase === "paused" || RUNNING.includes(phase);
  return { action: "turn.extend", label: `+${span(seconds)}`, shortcut, seconds, ...ofTurn(event, enabled) };
}

function takeBack({ match }: EventState): Offer {
  const reveal = match?.state === "aborted" ? null : (match?.reveal ?? null);
  const label = reveal ? `Take back turn ${reveal.number}` : "Take back last turn";
  const sure = "Press again to take back";
  return { action: "turn.void", label, shortcut: "U", enabled: reveal !== null, turn: reveal?.turn ?? null, sure };
}

function joining({ lobby }: EventState): Offer {
  if (lobby === "locked") return { action: "joining.unlock", label: "Unlock joining", shortcut: "L", enabled: true, turn: null };
  return { action: "joining.lock", label: "Lock joining", shortcut: "L", enabled: lobby === "open", turn: null };
}

function abort({ match }: EventState): Offer {
  const enabled = match?.state === "playing";
  return { action: "match.abort", label: "Abort the match", shortcut: "", enabled, turn: null, sure: "Press again to abort" };
}
