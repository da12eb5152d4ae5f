import { seriesOf } from "../live/series";
import { lastClosed, type Phase } from "../live/phase";
import type { Action, EventState, Part } from "../protocol";
import { span } from "./words";

/** A button: what it asks for, and whether that can be asked now. `turn` is the turn it is meant for. */
export interface Offer {
  action: Action;
  label: string;
  shortcut: string;
  enabled: boolean;
  turn: number | null;
  seconds?: number | null;
  phones?: number;
  text?: string | null;
  part?: Part | null;
  team?: number | null;
  sign?: string | null;
  hands?: readonly number[];
  /** What the button says between the first press and the second. */
  sure?: string;
}

/** The one next action, the one beside it, and the rest, always in the same places. */
export interface Offers {
  main: Offer;
  beside: Offer | null;
  rest: readonly Offer[];
}

/** A press that belongs to no turn and has no key. */
export function plainOffer(action: Action, label: string): Offer {
  return { action, label, shortcut: "", enabled: true, turn: null };
}

/** The live turn's window may still open or is open. */
export function isRunning(phase: Phase): boolean {
  return phase !== "lobby" && phase !== "sealed" && phase !== "paused" && phase !== "ended";
}

export function offersOf(event: EventState, phase: Phase): Offers {
  const [main, beside] = foremost(event, phase);
  const [little, more] = stretches(event.match?.window_s ?? 0);
  const tempo = [
    shift(event, phase, "turn.shorten", little, "S"),
    shift(event, phase, "turn.extend", little, "E"),
    shift(event, phase, "turn.extend", more, "Shift E"),
  ];
  return { main, beside, rest: [...tempo, takeBack(event), joining(event), abort(event)] };
}

function foremost(event: EventState, phase: Phase): [Offer, Offer | null] {
  if (event.match?.state !== "playing") return between(event, phase);
  if (phase === "paused") return [resume(event), close(event, phase)];
  if (phase === "voting" || phase === "sealed") return [close(event, phase), pause(event, phase)];
  return [pause(event, phase), null];
}

function between(event: EventState, phase: Phase): [Offer, Offer | null] {
  if (event.lobby === "closed") return [plainOffer("lobby.open", "Open the lobby"), start(event, phase, "Start at once")];
  return [start(event, phase, nextMatch(event)), null];
}

function nextMatch(event: EventState): string {
  if (!event.match) return "Start the match";
  return event.best_of !== null && seriesOf(event).decided ? "Start a new series" : "Start the next match";
}

function start(event: EventState, phase: Phase, label: string): Offer {
  const over = event.match?.state !== "ended" || phase === "ended";
  return { ...plainOffer("match.start", over ? label : "The last reveal is on"), enabled: over };
}

function ofTurn(event: EventState, enabled: boolean): Pick<Offer, "enabled" | "turn"> {
  const turn = event.match?.turn ?? null;
  return { enabled: enabled && turn !== null, turn: turn?.id ?? null };
}

function pause(event: EventState, phase: Phase): Offer {
  const label = phase === "voting" || phase === "sealed" ? "Pause" : "Hold the next turn";
  return { action: "turn.pause", label, shortcut: "P", ...ofTurn(event, isRunning(phase)) };
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

function shift(event: EventState, phase: Phase, action: "turn.extend" | "turn.shorten", seconds: number, shortcut: string): Offer {
  const label = `${action === "turn.extend" ? "+" : "−"}${span(seconds)}`;
  return { action, label, shortcut, seconds, ...ofTurn(event, phase === "paused" || isRunning(phase)) };
}

function takeBack({ match }: EventState): Offer {
  const last = lastClosed(match);
  const label = last ? `Take back turn ${last.number}` : "Take back last turn";
  const sure = "Press again to take back";
  return { action: "turn.void", label, shortcut: "U", enabled: last !== null, turn: last?.turn ?? null, sure };
}

function joining({ lobby }: EventState): Offer {
  if (lobby === "locked") return { ...plainOffer("joining.unlock", "Unlock joining"), shortcut: "L" };
  return { ...plainOffer("joining.lock", "Lock joining"), shortcut: "L", enabled: lobby === "open" };
}

function abort({ match }: EventState): Offer {
  const enabled = match?.state === "playing";
  return { ...plainOffer("match.abort", "Abort the match"), enabled, sure: "Press again to abort" };
}

const LONGEST_WINDOW_S = 600;
const EXTRAS = [10, 30, 60];

/** For those who need more time to read or to reach: each turn lasts so much longer, until it is pressed again. */
export function paceOffers({ match, extra_s }: EventState): readonly Offer[] {
  if (match && match.window_s > LONGEST_WINDOW_S && !extra_s) return [];
  return EXTRAS.map((extra) => {
    const offer = plainOffer("pace.set", `+${extra}\u00a0s`);
    return extra === extra_s ? offer : { ...offer, seconds: extra };
  });
}

const PARTS: { [part in Part]: string } = { code: "Code", turnout: "Turnout", tally: "Votes" };

/** What the projector can do without: one press hides it, the next one shows it again. */
export function partOffers({ hidden }: EventState): readonly Offer[] {
  const parts = Object.keys(PARTS) as Part[];
  return parts.map((part) => ({ ...plainOffer(hidden.includes(part) ? "part.show" : "part.hide", PARTS[part]), part }));
}
