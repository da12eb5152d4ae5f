import type { Resolution } from "../../protocol";
import type { CloseCall } from "../captions/closeCall";

/** The timeline of the reveal. All times are for a reveal of six seconds and scale with its length. */
const LENGTH = 6000;
const POUR = 400;
const PICKS = 1600;
const CHOSEN = 1950;
const DROPS = 2400;
const SECOND = 3100;
const TOKEN = 3600;
const LINES = 4000;
const LIT = 5200;
/** With a replay at the end, all lines are highlighted at once. */
const REPLAY = 4600;
const AGAIN = [4750, 5350, 5950] as const;

export type TimelineStep = "sealed" | "pour" | "picks" | "drops" | "second" | "token" | "lines" | "replay" | "over";

/** The progress of each part of the reveal, from 0 to 1. */
export interface RevealProgress {
  step: TimelineStep;
  poured: number;
  lit: number;
}

/** The optional parts that the timeline must make room for. */
export interface RevealPlan {
  drops: number;
  inTurn: boolean;
  crosses: boolean;
  replay: CloseCall["kind"] | null;
}

export function revealPlan(resolution: Resolution, call: CloseCall | null = null): RevealPlan {
  return {
    drops: resolution.drops.length,
    inTurn: resolution.conflict !== null && resolution.drops.length > 1,
    crosses: resolution.token_before !== resolution.token_after,
    replay: call?.kind ?? null,
  };
}

/** The steps of a plan and the time at which each begins. */
export function timelineSteps(plan: RevealPlan): ReadonlyArray<readonly [TimelineStep, number]> {
  const all: ReadonlyArray<readonly [TimelineStep, number]> = [
    ["sealed", 0],
    ["pour", POUR],
    ["picks", PICKS],
    ["drops", DROPS],
    ["second", SECOND],
    ["token", TOKEN],
    ["lines", LINES],
    ["replay", REPLAY],
    ["over", LENGTH],
  ];
  const left: Partial<Record<TimelineStep, boolean>> = { second: !plan.inTurn, token: !plan.crosses, replay: plan.replay === null };
  return all.filter(([step]) => !left[step]);
}

/** The reveal's progress `elapsed_ms` after the turn was resolved, for a total length of `reveal_ms`. */
export function revealProgress(elapsed_ms: number, reveal_ms: number, plan: RevealPlan): RevealProgress {
  const t = reveal_ms > 0 ? (elapsed_ms * LENGTH) / reveal_ms : LENGTH;
  const between = (from: number, to: number) => Math.min(1, Math.max(0, (t - from) / (to - from)));
  const begun = timelineSteps(plan).filter(([, at]) => t >= at);
  return {
    step: begun[begun.length - 1]?.[0] ?? "sealed",
    poured: between(POUR, PICKS),
    lit: between(LINES, plan.replay ? REPLAY : LIT),
  };
}

/** Milliseconds from the resolution to the beginning of the next step; null after the last one. */
export function nextStep(elapsed_ms: number, reveal_ms: number, plan: RevealPlan): number | null {
  const scale = reveal_ms / LENGTH;
  const later = timelineSteps(plan).find(([, at]) => at * scale > elapsed_ms);
  return later ? later[1] * scale : null;
}

/** A part of the reveal, as shares of its length. */
export type Span = readonly [from: number, to: number];

function shareSpan(from: number, to: number): Span {
  return [from / LENGTH, to / LENGTH];
}

export const POURING = shareSpan(POUR, PICKS);
export const CHOOSING = shareSpan(PICKS, CHOSEN);
export const REPLAYING = shareSpan(REPLAY, LENGTH);
export const FIGHTING = shareSpan(CHOSEN, DROPS);
export const TOKEN_PASSING = shareSpan(TOKEN, LINES);

/** When each ball falls: both at once, or one after the other. */
export function dropSpan({ inTurn }: RevealPlan, index: number): Span {
  if (inTurn) return index > 0 ? shareSpan(SECOND, TOKEN) : shareSpan(DROPS, SECOND);
  return shareSpan(DROPS, SECOND + 250);
}

export function replayDropSpan(index: number): Span {
  return index > 0 ? shareSpan(AGAIN[1], AGAIN[2]) : shareSpan(AGAIN[0], AGAIN[1]);
}
