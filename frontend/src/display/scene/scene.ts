import type { Board, CloseCall, DecisiveMistake, EventState, Judge, Match, Reveal, Side, Turn } from "../../protocol";
import { boardBefore } from "../../board/boardBefore";
import { heldMs, revealEnd } from "../../live/match/phase";
import { isPartHidden } from "./places";
import { nextStep, revealPlan, revealProgress, type RevealPlan, type RevealProgress, type TimelineStep } from "./timeline";

export type ScreenPhase = "lobby" | "talk" | "voting" | "paused" | "sealed" | "reveal" | "ended";

/** What the screen shows at a moment: a pure function of the event's state and the server's time. */
export interface Scene {
  phase: ScreenPhase;
  match: Match | null;
  turn: Turn | null;
  reveal: Reveal | null;
  stage: RevealProgress | null;
  plan: RevealPlan | null;
  call: CloseCall | null;
  /** Some time after a match, its analysis is shown: that of the last turn, then the costliest mistake. With both, the best judges. */
  recap: { mistake: DecisiveMistake | null; judges: readonly Judge[] } | null;
  leftMs: number;
}

const SECOND_MS = 1000;
/** How long after the deadline a result is late, which the screen then says. */
export const LATE_MS = 3000;
/** How long after a match its analysis begins, and how long its parts take to read: the last turn and the costliest mistake. */
export const CELEBRATION_MS = 10_000;
export const LAST_TURN_MS = 7000;
export const MISTAKE_MS = 12_000;

export function sceneAt(state: EventState, now: number): Scene {
  const match = state.match;
  const turn = match?.turn ?? null;
  const scene: Scene = { phase: "lobby", match, turn, reveal: match?.reveal ?? null, stage: null, plan: null, call: null, recap: null, leftMs: 0 };
  if (!match) return scene;
  if (isRevealing(match, now)) return { ...scene, phase: "reveal", ...revealAt(state, match, now) };
  if (!turn) return { ...scene, phase: "ended", recap: recapAt(match, now, state.next_match_at), leftMs: leftUntil(state.next_match_at, now) };
  return { ...scene, ...windowAt(turn, now) };
}

function windowAt(turn: Turn, now: number): Pick<Scene, "phase" | "leftMs"> {
  if (turn.paused) return { phase: "paused", leftMs: heldMs(turn) };
  if (turn.talk_ms > 0 && now < turn.opens_at) return { phase: "talk", leftMs: turn.opens_at - now };
  const leftMs = turn.closes_at - Math.max(now, turn.opens_at);
  return leftMs > 0 ? { phase: "voting", leftMs } : { phase: "sealed", leftMs: 0 };
}

/** Leaves out what the next match would cut short. */
function recapAt(match: Match, now: number, nextMatchAt: number | null): Scene["recap"] {
  const begins = revealEnd(match) + CELEBRATION_MS;
  const roomMs = (nextMatchAt ?? Infinity) - begins;
  if (!match.analysis || match.state !== "ended" || now < begins || roomMs < LAST_TURN_MS) return null;
  const found = roomMs >= LAST_TURN_MS + MISTAKE_MS ? match.analysis.match : null;
  return { mistake: (now >= begins + LAST_TURN_MS && found?.mistake) || null, judges: found?.judges ?? [] };
}

/** The next moment at which the screen after a match changes. Infinity if there is none. */
function nextRecap(match: Match, now: number): number {
  const begins = revealEnd(match) + CELEBRATION_MS;
  return Math.min(...[begins, begins + LAST_TURN_MS].filter((at) => match.analysis && at > now));
}

function leftUntil(at: number | null, now: number): number {
  return at === null ? 0 : Math.max(0, at - now);
}

function isRevealing(match: Match, now: number): boolean {
  return match.state !== "aborted" && now < revealEnd(match);
}

function revealAt(state: EventState, { reveal }: Match, now: number): Pick<Scene, "stage" | "plan" | "call"> {
  if (!reveal) return { stage: null, plan: null, call: null };
  const call = isPartHidden(state, "tally") && reveal.close_call?.kind === "count" ? null : reveal.close_call;
  const plan = revealPlan(reveal, call);
  return { call, plan, stage: revealProgress(now - reveal.resolved_at, plan) };
}

/** The server time at which the same state next looks different, or null. */
export function nextChange(state: EventState, now: number): number | null {
  const change = nextSceneChange(state, now);
  const expires = state.notice_until ?? 0;
  return expires > now ? Math.min(change ?? expires, expires) : change;
}

function nextSceneChange(state: EventState, now: number): number | null {
  const scene = sceneAt(state, now);
  if (scene.phase === "reveal") return nextOfReveal(scene, now);
  if (scene.phase === "voting" && scene.turn && now < scene.turn.opens_at) return scene.turn.opens_at;
  if (scene.phase === "sealed" && scene.turn && now < scene.turn.closes_at + LATE_MS) return scene.turn.closes_at + LATE_MS;
  if (scene.phase === "ended" && scene.match) {
    const at = Math.min(nextRecap(scene.match, now), scene.leftMs > 0 ? now + nextSecond(scene.leftMs) : Infinity);
    return at === Infinity ? null : at;
  }
  const runs = scene.phase === "voting" || scene.phase === "talk";
  return runs && scene.leftMs > 0 ? now + nextSecond(scene.leftMs) : null;
}

function nextSecond(leftMs: number): number {
  return leftMs % SECOND_MS || SECOND_MS;
}

function nextOfReveal({ match, turn, reveal, plan }: Scene, now: number): number | null {
  if (!match || !reveal || !plan) return null;
  const step = nextStep(now - reveal.resolved_at, plan);
  const at = step === null ? revealEnd(match) : reveal.resolved_at + step;
  return turn && !turn.paused && turn.opens_at > now ? Math.min(at, turn.opens_at) : at;
}

/** During a reveal, the turn that is being revealed. */
export function shownTurn({ phase, reveal, turn }: Scene): Reveal | Turn | null {
  return phase === "reveal" ? reveal : turn;
}

export function matchWinner({ state, result }: Match): Side | null {
  return state === "ended" && (result === "red" || result === "yellow") ? result : null;
}

/** Whether the last drops are being replayed. */
export function replaysDrops({ stage, call }: Scene): boolean {
  return stage?.step === "replay" && call?.kind === "conflict";
}

export const LANDED: readonly TimelineStep[] = ["lines", "verdict", "token", "replay", "over"];
const MOVED: readonly TimelineStep[] = ["drops", "second", ...LANDED];

/** The board to draw: the previous one until its drops have landed. Falling balls are drawn separately. */
export function sceneBoard(scene: Scene): Board | null {
  const { match, reveal, stage } = scene;
  if (!match) return null;
  if (scene.recap?.mistake) return scene.recap.mistake.board;
  if (!stage || !reveal) return match.board;
  const moved = match.board.kind === "drawn" ? MOVED : LANDED;
  return moved.includes(stage.step) && !replaysDrops(scene) ? match.board : boardBefore(match.board, reveal.resolution);
}
