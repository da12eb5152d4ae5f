import type { Resolution } from "../protocol";

/** The reveal in time. All moments are for a reveal of six seconds and scale with it. */
const LENGTH = 6000;
const POUR = 400;
const PICKS = 1600;
const DROPS = 2400;
const SECOND = 3100;
const TOKEN = 3600;
const LINES = 4000;
const LIT = 5200;

export type Step = "sealed" | "pour" | "picks" | "drops" | "second" | "token" | "lines" | "over";

/** What of the reveal is done, each from 0 to 1. */
export interface Stage {
  step: Step;
  poured: number;
  chosen: number;
  dropped: readonly number[];
  crossed: number;
  lit: number;
}

/** What the timetable has to make room for. */
export interface Plan {
  drops: number;
  inTurn: boolean;
  crosses: boolean;
}

export function planOf(resolution: Resolution): Plan {
  return {
    drops: resolution.drops.length,
    inTurn: resolution.conflict !== null && resolution.drops.length > 1,
    crosses: resolution.token_before !== resolution.token_after,
  };
}

/** The steps of a plan with the moment each begins. */
export function steps(plan: Plan): ReadonlyArray<readonly [Step, number]> {
  const all: ReadonlyArray<readonly [Step, number]> = [
    ["sealed", 0],
    ["pour", POUR],
    ["picks", PICKS],
    ["drops", DROPS],
    ["second", SECOND],
    ["token", TOKEN],
    ["lines", LINES],
    ["over", LENGTH],
  ];
  return all.filter(([step]) => (step !== "second" || plan.inTurn) && (step !== "token" || plan.crosses));
}

/** The reveal `elapsed_ms` after its turn was resolved, when all of it takes `reveal_ms`. */
export function stage(elapsed_ms: number, reveal_ms: number, plan: Plan): Stage {
  const t = reveal_ms > 0 ? (elapsed_ms * LENGTH) / reveal_ms : LENGTH;
  const between = (from: number, to: number) => Math.min(1, Math.max(0, (t - from) / (to - from)));
  const begun = steps(plan).filter(([, at]) => t >= at);
  return {
    step: begun[begun.length - 1]?.[0] ?? "sealed",
    poured: between(POUR, PICKS),
    chosen: between(PICKS, PICKS + 350),
    dropped: Array.from({ length: plan.drops }, (_, index) =>
      plan.inTurn && index > 0 ? between(SECOND, TOKEN) : between(DROPS, plan.inTurn ? SECOND : SECOND + 250),
    ),
    crossed: plan.crosses ? between(TOKEN, LINES) : 0,
    lit: between(LINES, LIT),
  };
}

/** Milliseconds from the resolution at which the next step begins; null after the last. */
export function nextStep(elapsed_ms: number, reveal_ms: number, plan: Plan): number | null {
  const scale = reveal_ms / LENGTH;
  const later = steps(plan).find(([, at]) => at * scale > elapsed_ms);
  return later ? later[1] * scale : null;
}
