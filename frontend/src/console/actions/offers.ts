import { currentSeries } from "../../live/match/series";
import { lastClosed, type Phase } from "../../live/match/phase";
import type { Action, EventState, Part } from "../../protocol";
import { formatSpan } from "../labels";

/** A button: its command and whether it can be sent now. `turn` is the turn it is meant for. */
export interface ActionOffer {
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
  voter_code?: string | null;
  hands?: readonly number[];
  /** The button's label between the first click and the confirming second one. */
  confirm?: string;
}

/** The suggested action, the one beside it, and all others, always in the same places. */
export interface ActionOffers {
  main: ActionOffer;
  beside: ActionOffer | null;
  rest: readonly ActionOffer[];
}

/** A command that belongs to no turn and has no shortcut. */
export function plainOffer(action: Action, label: string): ActionOffer {
  return { action, label, shortcut: "", enabled: true, turn: null };
}

/** Whether the live turn's window is open or may still open. */
export function isRunning(phase: Phase): boolean {
  return phase !== "lobby" && phase !== "sealed" && phase !== "paused" && phase !== "ended";
}

export function actionOffers(event: EventState, phase: Phase): ActionOffers {
  const [main, beside] = mainOffers(event, phase);
  const [little, more] = extraSeconds(event.match?.window_s ?? 0);
  const tempo = [
    timeChange(event, phase, "turn.shorten", little, "S"),
    timeChange(event, phase, "turn.extend", little, "E"),
    timeChange(event, phase, "turn.extend", more, "Shift E"),
  ];
  return { main, beside, rest: [...tempo, voidTurn(event), joining(event), abort(event)] };
}

function mainOffers(event: EventState, phase: Phase): [ActionOffer, ActionOffer | null] {
  if (event.match?.state !== "playing") return betweenMatches(event, phase);
  if (phase === "paused") return [resume(event), close(event, phase)];
  if (phase === "voting" || phase === "sealed") return [close(event, phase), pause(event, phase)];
  return [pause(event, phase), null];
}

function betweenMatches(event: EventState, phase: Phase): [ActionOffer, ActionOffer | null] {
  if (event.lobby === "closed") return [plainOffer("lobby.open", "Open the lobby"), start(event, phase, "Start now")];
  return [start(event, phase, nextMatch(event)), null];
}

function nextMatch(event: EventState): string {
  if (!event.match) return "Start the match";
  return event.best_of !== null && currentSeries(event).decided ? "Start a new series" : "Start the next match";
}

function start(event: EventState, phase: Phase, label: string): ActionOffer {
  const over = event.match?.state !== "ended" || phase === "ended";
  return { ...plainOffer("match.start", over ? label : "Last reveal still running"), enabled: over };
}

function forTurn(event: EventState, enabled: boolean): Pick<ActionOffer, "enabled" | "turn"> {
  const turn = event.match?.turn ?? null;
  return { enabled: enabled && turn !== null, turn: turn?.id ?? null };
}

function pause(event: EventState, phase: Phase): ActionOffer {
  const label = phase === "voting" || phase === "sealed" ? "Pause" : "Hold the next turn";
  return { action: "turn.pause", label, shortcut: "P", ...forTurn(event, isRunning(phase)) };
}

function resume(event: EventState): ActionOffer {
  return { action: "turn.resume", label: "Resume", shortcut: "P", ...forTurn(event, true) };
}

function close(event: EventState, phase: Phase): ActionOffer {
  const label = phase === "sealed" ? "Counting votes" : "Close now";
  return { action: "turn.close", label, shortcut: "C", ...forTurn(event, phase === "voting" || phase === "paused") };
}

/** How many extra seconds the buttons offer, by the length of the window. */
function extraSeconds(windowS: number): readonly [number, number] {
  if (windowS > 43_200) return [3600, 86_400];
  return windowS > 600 ? [600, 3600] : [10, 30];
}

function timeChange(event: EventState, phase: Phase, action: "turn.extend" | "turn.shorten", seconds: number, shortcut: string): ActionOffer {
  const label = `${action === "turn.extend" ? "+" : "−"}${formatSpan(seconds)}`;
  return { action, label, shortcut, seconds, ...forTurn(event, phase === "paused" || isRunning(phase)) };
}

function voidTurn({ match }: EventState): ActionOffer {
  const last = lastClosed(match);
  const label = last ? `Take back turn ${last.number}` : "Take back last turn";
  const confirm = "Press again to confirm";
  return { action: "turn.void", label, shortcut: "U", enabled: last !== null, turn: last?.turn ?? null, confirm };
}

function joining({ lobby }: EventState): ActionOffer {
  if (lobby === "locked") return { ...plainOffer("joining.unlock", "Unlock joining"), shortcut: "L" };
  return { ...plainOffer("joining.lock", "Lock joining"), shortcut: "L", enabled: lobby === "open" };
}

function abort({ match }: EventState): ActionOffer {
  const enabled = match?.state === "playing";
  return { ...plainOffer("match.abort", "Abort the match"), enabled, confirm: "Press again to abort" };
}

const LONGEST_WINDOW_S = 600;
const EXTRA_SECONDS = [10, 30, 60];

/** Extra time for everyone, as an accessibility option: lengthens each turn until it is switched off. */
export function extraTimeOffers({ match, extra_s }: EventState): readonly ActionOffer[] {
  if (match && match.window_s > LONGEST_WINDOW_S && !extra_s) return [];
  return EXTRA_SECONDS.map((extra) => {
    const offer = plainOffer("turn.extra_time", `+${extra}\u00a0s`);
    return extra === extra_s ? offer : { ...offer, seconds: extra };
  });
}

const PARTS: { [part in Part]: string } = { code: "Code", turnout: "Turnout", tally: "Votes" };

/** Toggles for the optional parts of the projector page. */
export function partOffers({ hidden }: EventState): readonly ActionOffer[] {
  const parts = Object.keys(PARTS) as Part[];
  return parts.map((part) => ({ ...plainOffer(hidden.includes(part) ? "part.show" : "part.hide", PARTS[part]), part }));
}
