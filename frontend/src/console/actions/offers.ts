import { p, t } from "../../live/i18n";
import { currentSeries } from "../../live/match/series";
import { lastClosed, type Phase } from "../../live/match/phase";
import { ACTIONS, type Action } from "../../actions";
import type { EventState, Part } from "../../protocol";
import { PART_BUTTONS } from "../../settings";
import { formatSeconds, formatSpan } from "../labels";

/** A button: its command and whether it can be sent now. `turn` is the turn it is meant for. */
export interface ActionOffer {
  action: Action;
  label: string;
  shortcut: string;
  enabled: boolean;
  /** Help on when the action takes effect. */
  help?: string;
  turn: number | null;
  seconds?: number | null;
  phones?: number;
  text?: string | null;
  part?: Part | null;
  team?: number | null;
  voter_code?: string | null;
  hands?: readonly number[];
  /** The audit log entry that the button undoes. */
  entry?: number;
  /** Its place has just had another action: the button ignores presses, but keeps the focus. */
  changing?: boolean;
  /** The button's label between the first click and the confirming second one. */
  confirm?: string;
}

/** The one or two main actions, which of them is suggested, and all others. Each has a fixed place. */
export interface ActionOffers {
  main: readonly ActionOffer[];
  suggested: Action;
  rest: readonly ActionOffer[];
}

/** A command that belongs to no turn, with the texts of its action. */
export function plainOffer(action: Action, label = ACTIONS[action].label): ActionOffer {
  const { confirm, keys } = ACTIONS[action];
  return { action, label, shortcut: Object.keys(keys)[0] ?? "", enabled: true, turn: null, confirm };
}

/** Whether the live turn's window is open or may still open. */
export function isRunning(phase: Phase): boolean {
  return phase !== "lobby" && phase !== "sealed" && phase !== "paused" && phase !== "ended";
}

/** `prompt`: the button's text before a vote is closed, or an empty string to close it at once. */
export function actionOffers(event: EventState, phase: Phase, prompt = ""): ActionOffers {
  const main = mainOffers(event, phase, prompt);
  const [little, more] = extraSeconds(event.match?.window_s ?? 0);
  const tempo = [
    timeChange(event, phase, "turn.shorten", little),
    timeChange(event, phase, "turn.extend", little),
    { ...timeChange(event, phase, "turn.extend", more), shortcut: "Shift E" },
  ];
  const leads = event.match?.host_wait_s && phase === "reveal";
  const suggested = event.match?.state !== "playing" || isVote(phase) || leads ? main[0]! : main[1]!;
  return { main, suggested: suggested.action, rest: [...tempo, voidTurn(event), joining(event), abort(event)] };
}

/** During a match: what ends the phase or lengthens it, then Pause or Resume, so that neither replaces the other. */
function mainOffers(event: EventState, phase: Phase, prompt: string): readonly ActionOffer[] {
  if (event.match?.state !== "playing") return betweenMatches(event, phase);
  const first = hostStep(event, phase) ?? (phase === "reveal" ? longerReveal(event) : close(event, phase, prompt));
  return [first, phase === "paused" ? resume(event) : pause(event, phase)];
}

/** In a match that waits for the organizer: the reveal, then the next turn. */
function hostStep(event: EventState, phase: Phase): ActionOffer | null {
  if (!event.match?.host_wait_s) return null;
  if (phase === "sealed") return { ...plainOffer("reveal.start"), ...forTurn(event, true) };
  return phase === "reveal" ? { ...plainOffer("turn.open"), ...forTurn(event, true) } : null;
}

function betweenMatches(event: EventState, phase: Phase): readonly ActionOffer[] {
  if (event.lobby === "closed") return [plainOffer("lobby.open"), start(event, phase, p("button", "Start now"))];
  return [start(event, phase, nextMatch(event))];
}

function isVote(phase: Phase): boolean {
  return phase === "voting" || phase === "sealed";
}

function nextMatch(event: EventState): string {
  if (!event.match) return p("button", "Start the match");
  return event.best_of !== null && currentSeries(event).decided ? p("button", "Start a new series") : p("button", "Start the next match");
}

function start(event: EventState, phase: Phase, label: string): ActionOffer {
  const over = event.match?.state !== "ended" || phase === "ended";
  return { ...plainOffer("match.start", over ? label : t("Last reveal still running")), enabled: over };
}

function forTurn(event: EventState, enabled: boolean): Pick<ActionOffer, "enabled" | "turn"> {
  const turn = event.match?.turn ?? null;
  return { enabled: enabled && turn !== null, turn: turn?.id ?? null };
}

/** The pause button. */
function pause(event: EventState, phase: Phase): ActionOffer {
  const offer = { ...plainOffer("turn.pause", isVote(phase) ? undefined : p("button", "Pause before the next turn")), ...forTurn(event, isRunning(phase)) };
  return isVote(phase) ? offer : { ...offer, help: t("The reveal goes on. The next vote opens when you resume.") };
}

/** The resume button. */
function resume(event: EventState): ActionOffer {
  return { ...plainOffer("turn.resume"), ...forTurn(event, true) };
}

function close(event: EventState, phase: Phase, confirm: string): ActionOffer {
  const label = phase === "sealed" ? t("Counting votes") : undefined;
  return { ...plainOffer("turn.close", label), confirm, ...forTurn(event, phase === "voting" || phase === "paused") };
}

function longerReveal(event: EventState): ActionOffer {
  return { ...plainOffer("reveal.extend"), seconds: 10, ...forTurn(event, true) };
}

/** How many extra seconds the buttons offer, by the length of the window. */
function extraSeconds(windowS: number): readonly [number, number] {
  if (windowS > 43_200) return [3600, 86_400];
  return windowS > 600 ? [600, 3600] : [10, 30];
}

function timeChange(event: EventState, phase: Phase, action: "turn.extend" | "turn.shorten", seconds: number): ActionOffer {
  const time = formatSpan(seconds);
  const label = action === "turn.extend" ? p("button", "+%(time)s", { time }) : p("button", "−%(time)s", { time });
  return { ...plainOffer(action, label), seconds, ...forTurn(event, phase === "paused" || isRunning(phase)) };
}

function voidTurn({ match }: EventState): ActionOffer {
  const last = lastClosed(match);
  const label = last ? p("button", "Take back turn %(turn)s", { turn: last.number }) : p("button", "Take back last turn");
  return { ...plainOffer("turn.void", label), enabled: last !== null, turn: last?.turn ?? null };
}

function joining({ lobby }: EventState): ActionOffer {
  return lobby === "locked" ? plainOffer("joining.unlock") : { ...plainOffer("joining.lock"), enabled: lobby === "open" };
}

function abort({ match }: EventState): ActionOffer {
  return { ...plainOffer("match.abort"), enabled: match?.state === "playing" };
}

const LONGEST_WINDOW_S = 600;
const EXTRA_SECONDS = [10, 30, 60];

/** Extra time for everyone, as an accessibility option: lengthens each turn until it is switched off. */
export function extraTimeOffers({ match, extra_s }: EventState): readonly ActionOffer[] {
  if (match && match.window_s > LONGEST_WINDOW_S && !extra_s) return [];
  return EXTRA_SECONDS.map((extra) => {
    const offer = plainOffer("turn.extra_time", p("button", "+%(time)s", { time: formatSeconds(extra) }));
    return extra === extra_s ? offer : { ...offer, seconds: extra };
  });
}

/** Toggles for the optional parts of the projector page. */
export function partOffers(event: EventState): readonly ActionOffer[] {
  const parts = Object.keys(PART_BUTTONS) as Part[];
  return parts.map((part) => partOffer(isPartOn(event, part) ? "part.hide" : "part.show", part, PART_BUTTONS[part]));
}

function isPartOn({ hidden, sound_on }: EventState, part: Part): boolean {
  return !hidden.includes(part) && (part !== "sound" || sound_on);
}

function partOffer(action: "part.hide" | "part.show", part: Part, label: string): ActionOffer {
  return { ...plainOffer(action, label), part };
}

/** The switch of the lobby music, if the installation has some. Gateways of the previous version send no such field. */
export function musicOffers({ lobby_music }: EventState): readonly ActionOffer[] {
  return typeof lobby_music === "boolean" ? [plainOffer(lobby_music ? "music.stop" : "music.start")] : [];
}

/** Sound on or off: offered before the first match, once joining is open, until the organizer has chosen. */
export function soundOffers({ lobby, match, hidden, sound_on }: EventState): readonly ActionOffer[] {
  if (lobby === "closed" || match || sound_on || hidden.includes("sound")) return [];
  return [partOffer("part.show", "sound", p("button", "Sound on")), partOffer("part.hide", "sound", p("button", "No sound"))];
}
