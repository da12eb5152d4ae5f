import { p, t } from "../../live/i18n";
import { currentSeries } from "../../live/match/series";
import type { Phase } from "../../live/match/phase";
import { ACTIONS, type Action } from "../../actions";
import { hasSecretSides, hostStep, isAllowedByClocks, isEventOver, voidableTurn } from "../../availability";
import type { EventState, Match, Part, Turn } from "../../protocol";
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

/**
 * What can be done at the server's time `now`. `prompt`: the button's text before a vote is closed, or an empty string to
 * close it at once.
 */
export function actionOffers(event: EventState, phase: Phase, now: number, prompt = ""): ActionOffers {
  const main = mainOffers(event, phase, now, prompt);
  const [little, more] = extraSeconds(event.match?.window_s ?? 0);
  const tempo = [
    shorten(event, phase, now, little),
    extend(event, phase, little),
    { ...extend(event, phase, more), shortcut: "Shift E" },
  ];
  const leads = hostStep(event, phase) !== null;
  const suggested = event.match?.state !== "playing" || isVote(phase) || leads ? main[0]! : main[1]!;
  const rest = [...tempo, voidTurn(event, now), joining(event), abort(event)];
  const isOffered = ({ action }: ActionOffer) => isAllowedByClocks(action, event.match);
  return { main: main.filter(isOffered), suggested: suggested.action, rest: rest.filter(isOffered) };
}

/** The server times at which offers change without a message. */
export function offerMoments({ match, ends_at }: EventState): number[] {
  const [little] = extraSeconds(match?.window_s ?? 0);
  return [ends_at ?? 0, match ? revealOver(match) : 0, match?.turn ? match.turn.closes_at - shortestMs(little) : 0];
}

/** During a match: what ends the phase or lengthens it, then Pause or Resume, so that neither replaces the other. */
function mainOffers(event: EventState, phase: Phase, now: number, prompt: string): readonly ActionOffer[] {
  const { match } = event;
  if (match?.state !== "playing") return betweenMatches(event, phase, now);
  const first = nextStep(event, match, phase, now) ?? (phase === "reveal" ? longerReveal(event) : close(event, phase, prompt));
  return [first, match.turn?.paused ? resume(event) : pause(event, phase)];
}

/** In a match that waits for the organizer: the reveal, then the next turn once the reveal is over. */
function nextStep(event: EventState, match: Match, phase: Phase, now: number): ActionOffer | null {
  const step = hostStep(event, phase);
  return step && { ...plainOffer(step), ...forTurn(event, step === "reveal.start" || now >= revealOver(match)) };
}

function revealOver({ reveal }: Match): number {
  return reveal ? reveal.resolved_at + reveal.steps.over : 0;
}

function betweenMatches(event: EventState, phase: Phase, now: number): readonly ActionOffer[] {
  if (event.lobby === "closed") return [plainOffer("lobby.open"), start(event, phase, now, p("button", "Start now"))];
  return [start(event, phase, now, nextMatch(event))];
}

function isVote(phase: Phase): boolean {
  return phase === "voting" || phase === "sealed";
}

function nextMatch(event: EventState): string {
  if (!event.match) return p("button", "Start the match");
  return event.best_of !== null && currentSeries(event).decided ? p("button", "Start a new series") : p("button", "Start the next match");
}

function start(event: EventState, phase: Phase, now: number, label: string): ActionOffer {
  const over = event.match?.state !== "ended" || phase === "ended";
  return { ...plainOffer("match.start", over ? label : t("Last reveal still running")), enabled: over && !isEventOver(event, now) };
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
  return { ...plainOffer("reveal.extend"), seconds: 10, ...forTurn(event, !event.match?.turn?.paused) };
}

/** How many extra seconds the buttons offer, by the length of the window. */
function extraSeconds(windowS: number): readonly [number, number] {
  if (windowS > 43_200) return [3600, 86_400];
  return windowS > 600 ? [600, 3600] : [10, 30];
}

function extend(event: EventState, phase: Phase, seconds: number): ActionOffer {
  const label = p("button", "+%(time)s", { time: formatSpan(seconds) });
  return { ...plainOffer("turn.extend", label), seconds, ...forTurn(event, phase === "paused" || isRunning(phase)) };
}

function shorten(event: EventState, phase: Phase, now: number, seconds: number): ActionOffer {
  const label = p("button", "−%(time)s", { time: formatSpan(seconds) });
  const turn = event.match?.turn;
  const enabled = !!turn && votingLeft(turn, now) >= shortestMs(seconds);
  return { ...plainOffer("turn.shorten", label), seconds, ...forTurn(event, enabled && (phase === "paused" || isRunning(phase))) };
}

const MIN_LEFT_MS = 3000;

/** The shortest time left from which the server removes so many seconds. */
function shortestMs(seconds: number): number {
  return seconds * 1000 + MIN_LEFT_MS;
}

function votingLeft({ paused, left_ms, opens_at, closes_at }: Turn, now: number): number {
  return paused ? left_ms : closes_at - Math.max(now, opens_at);
}

function voidTurn(event: EventState, now: number): ActionOffer {
  const last = voidableTurn(event, now);
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

/** Extra time for everyone, as an accessibility option: lengthens each turn without clocks until it is switched off. */
export function extraTimeOffers({ match, extra_s }: EventState): readonly ActionOffer[] {
  if (match && (match.clocks || match.window_s > LONGEST_WINDOW_S) && !extra_s) return [];
  return EXTRA_SECONDS.map((extra) => {
    const offer = plainOffer("turn.extra_time", p("button", "+%(time)s", { time: formatSeconds(extra) }));
    return extra === extra_s ? offer : { ...offer, seconds: extra };
  });
}

/** Toggles for the optional parts of the projector page. */
export function partOffers(event: EventState): readonly ActionOffer[] {
  const parts = Object.keys(PART_BUTTONS) as Part[];
  return parts.map((part) => ({ ...partOffer(isPartOn(event, part) ? "part.hide" : "part.show", part, PART_BUTTONS[part]), enabled: !isAlwaysHidden(event, part) }));
}

function isPartOn({ hidden, sound_on }: EventState, part: Part): boolean {
  return !hidden.includes(part) && (part !== "sound" || sound_on);
}

/** Vote counts stay hidden while sides are secret. */
function isAlwaysHidden({ match }: EventState, part: Part): boolean {
  return part === "tally" && hasSecretSides(match);
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
