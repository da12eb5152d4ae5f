import type { CloseCall, Reveal, RevealSteps } from "../../protocol";

/** The steps of a reveal. The server announces when each begins; see `voting/counting/pacing.py`. */
export type TimelineStep = "sealed" | keyof RevealSteps;

/** The progress of each part of the reveal, from 0 to 1. */
export interface RevealProgress {
  step: TimelineStep;
  poured: number;
  /** The lines of the side that loses, if both sides have one, and then the winner's. */
  losingLit: number;
  winningLit: number;
}

/** A reveal's steps, and what it replays. */
export interface RevealPlan {
  steps: RevealSteps;
  inTurn: boolean;
  replay: CloseCall["kind"] | null;
}

/** How long a movement takes at most. A step may last longer, so that its caption can be read. */
const MOVEMENT = { choose: 350, fall: 1100, pass: 900, light: 1200, flare: 1000, recount: 1500 };
const ORDER = ["pour", "picks", "hold", "drops", "second", "lines", "verdict", "token", "replay", "over"] as const;

export function revealPlan({ steps }: Reveal, call: CloseCall | null = null): RevealPlan {
  return { steps, inTurn: steps.second !== null, replay: steps.replay === null ? null : (call?.kind ?? null) };
}

/** The steps of a plan and the time at which each begins. */
export function timelineSteps({ steps, replay }: RevealPlan): ReadonlyArray<readonly [TimelineStep, number]> {
  const announced = ORDER.flatMap((step) => {
    const at = steps[step];
    return at === null || (step === "replay" && !replay) ? [] : [[step, at] as const];
  });
  return [["sealed", 0], ...announced];
}

/** The reveal's progress `elapsed` milliseconds after the turn was resolved. */
export function revealProgress(elapsed: number, plan: RevealPlan): RevealProgress {
  const { steps } = plan;
  const begun = timelineSteps(plan).filter(([, at]) => elapsed >= at);
  return {
    step: begun[begun.length - 1]?.[0] ?? "sealed",
    poured: progress(elapsed, steps.pour, steps.picks),
    losingLit: lighting(elapsed, steps.lines, steps),
    winningLit: lighting(elapsed, steps.verdict ?? steps.lines, steps),
  };
}

function lighting(elapsed: number, from: number, { verdict, token, replay, over }: RevealSteps): number {
  const next = [verdict, token, replay, over].find((at) => at !== null && at > from) ?? from;
  return progress(elapsed, from, Math.min(from + MOVEMENT.light, next));
}

function progress(elapsed: number, from: number, to: number): number {
  return to > from ? Math.min(1, Math.max(0, (elapsed - from) / (to - from))) : Number(elapsed >= to);
}

/** Milliseconds from the resolution to the beginning of the next step; null after the last one. */
export function nextStep(elapsed: number, plan: RevealPlan): number | null {
  return timelineSteps(plan).find(([, at]) => at > elapsed)?.[1] ?? null;
}

/** A part of the reveal, as shares of its length. */
export type Span = readonly [from: number, to: number];

function span({ over }: RevealSteps, from: number, to: number): Span {
  return [from / over, Math.min(to, over) / over];
}

export function pouring({ steps }: RevealPlan): Span {
  return span(steps, steps.pour, steps.picks);
}

/** The picks appear above their columns. */
export function choosing({ steps }: RevealPlan): Span {
  return span(steps, steps.picks, Math.min(steps.picks + MOVEMENT.choose, steps.drops));
}

/** The balls come down from the bars to the rim, in a special turn. */
export function lowering({ steps }: RevealPlan): Span | null {
  return steps.hold === null ? null : span(steps, steps.hold, steps.drops);
}

/** The token is contested in a conflict. */
export function fighting({ steps }: RevealPlan): Span {
  return span(steps, steps.picks, steps.hold ?? steps.drops);
}

/** When each ball falls: both at once, or one after the other. */
export function dropSpan({ steps }: RevealPlan, index: number): Span {
  const { drops, second, lines } = steps;
  if (second === null || index > 0) return span(steps, second ?? drops, Math.min((second ?? drops) + MOVEMENT.fall, lines));
  return span(steps, drops, second);
}

/** The token flares where it lies: it decides between the lines of both sides. */
export function tokenFlare({ steps }: RevealPlan): Span | null {
  return steps.verdict === null ? null : span(steps, steps.verdict - MOVEMENT.flare, steps.verdict);
}

export function tokenPassing({ steps }: RevealPlan): Span | null {
  return steps.token === null ? null : span(steps, steps.token, Math.min(steps.token + MOVEMENT.pass, steps.replay ?? steps.over));
}

/** The bars of a close count run up once more. */
export function recounting({ steps }: RevealPlan): Span {
  const from = steps.replay ?? steps.over;
  return span(steps, from, from + MOVEMENT.recount);
}

/** The balls of a conflict fall once more, one after the other. */
export function replayDropSpan({ steps }: RevealPlan, index: number): Span {
  const from = steps.replay ?? steps.over;
  const half = Math.min((steps.over - from) / 2, MOVEMENT.fall);
  return span(steps, from + index * half, from + (index + 1) * half);
}
