import type { Board, EventState, Match, Reveal, Side, Turn } from "../protocol";
import { without } from "../board/before";
import { nextStep, planOf, stage, type Stage } from "./timeline";

export type Phase = "lobby" | "voting" | "paused" | "sealed" | "reveal" | "ended";

/** What the screen shows at a moment: a pure function of the event's state and the server's time. */
export interface Scene {
  phase: Phase;
  match: Match | null;
  turn: Turn | null;
  reveal: Reveal | null;
  stage: Stage | null;
  leftMs: number;
}

const SECOND = 1000;

export function sceneAt(state: EventState, now: number): Scene {
  const match = state.match;
  const scene: Scene = { phase: "lobby", match, turn: match?.turn ?? null, reveal: match?.reveal ?? null, stage: null, leftMs: 0 };
  if (!match) return scene;
  if (revealing(match, now)) return { ...scene, phase: "reveal", stage: stageOf(match, now) };
  if (!match.turn) return { ...scene, phase: "ended", leftMs: leftUntil(state.next_match_at, now) };
  return { ...scene, ...windowAt(match.turn, now) };
}

function windowAt(turn: Turn, now: number): Pick<Scene, "phase" | "leftMs"> {
  if (turn.paused) return { phase: "paused", leftMs: turn.left_ms };
  const leftMs = turn.closes_at - Math.max(now, turn.opens_at);
  return leftMs > 0 ? { phase: "voting", leftMs } : { phase: "sealed", leftMs: 0 };
}

function leftUntil(at: number | null, now: number): number {
  return at === null ? 0 : Math.max(0, at - now);
}

function revealing({ reveal, reveal_s, turn, state }: Match, now: number): boolean {
  if (!reveal || state === "aborted") return false;
  const over = reveal.resolved_at + reveal_s * SECOND;
  return now < (turn && !turn.paused ? Math.min(over, turn.opens_at) : over);
}

function stageOf({ reveal, reveal_s }: Match, now: number): Stage | null {
  return reveal && stage(now - reveal.resolved_at, reveal_s * SECOND, planOf(reveal.resolution));
}

/** The server's time at which `sceneAt` next answers something else for the same state; null: never. */
export function nextChange(state: EventState, now: number): number | null {
  const scene = sceneAt(state, now);
  if (scene.phase === "reveal") return nextOfReveal(scene, now);
  if (scene.phase === "voting" || scene.phase === "ended") return scene.leftMs > 0 ? now + nextSecond(scene.leftMs) : null;
  return null;
}

function nextSecond(leftMs: number): number {
  return leftMs % SECOND || SECOND;
}

function nextOfReveal({ match, turn, reveal }: Scene, now: number): number | null {
  if (!match || !reveal) return null;
  const length = match.reveal_s * SECOND;
  const step = nextStep(now - reveal.resolved_at, length, planOf(reveal.resolution));
  const at = reveal.resolved_at + (step ?? length);
  return turn && !turn.paused && turn.opens_at > now ? Math.min(at, turn.opens_at) : at;
}

export function winnerOf({ state, result }: Match): Side | null {
  return state === "ended" && (result === "red" || result === "yellow") ? result : null;
}

/** The board to draw: until its drops have landed the one before them; they fall by themselves. */
export function boardOf({ match, reveal, stage }: Scene): Board | null {
  if (!match) return null;
  const landed = !stage || stage.step === "lines" || stage.step === "over";
  return landed || !reveal ? match.board : without(match.board, reveal.resolution.drops);
}
