import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Span } from "../scene/timeline";
import type { StageView } from "../scene/stageView";

/** A keyframe. `at` is a share of the reveal's length; `y` and `x` are in the element's own units. */
export interface RevealFrame {
  at: number;
  transform: string;
  opacity?: number;
}

const MAX_DRIFT_MS = 60;

/**
 * Animates an element over the whole reveal, by the server's clock. The compositor runs it, so it stays smooth while
 * the page is busy. Only `transform` and `opacity` may be animated.
 */
export function useRevealAnimation<Own extends Element>(view: StageView, frames: readonly RevealFrame[]): RefObject<Own | null> {
  const element = useRef<Own>(null);
  const run = useRef<Animation | null>(null);
  const { scene, reducedMotion, now } = view;
  const { reveal, plan } = scene;
  const runs = scene.phase === "reveal" && frames.length > 0;
  const [begins, length] = [reveal?.resolved_at ?? 0, plan?.steps.over ?? 0];
  useLayoutEffect(() => {
    run.current = runs && element.current ? startAnimation(element.current, frames, length, reducedMotion) : null;
    if (run.current) run.current.currentTime = now() - begins;
    return () => run.current?.cancel();
  }, [runs, begins, length, reducedMotion, JSON.stringify(frames)]);
  useLayoutEffect(() => {
    const drift = Number(run.current?.currentTime ?? 0) - (now() - begins);
    if (run.current && Math.abs(drift) > MAX_DRIFT_MS) run.current.currentTime = now() - begins;
  });
  return element;
}

/** With reduced motion, changes happen at once, at the same place and in the same order. */
function startAnimation(element: Element, frames: readonly RevealFrame[], duration: number, reducedMotion: boolean): Animation {
  const easing = reducedMotion ? "step-start" : "linear";
  const keys = frames.map(({ at, ...look }) => ({ offset: Math.min(1, at), easing, ...look }));
  return element.animate(keys, { duration, fill: "both" });
}

/** Keyframes at even steps of a movement's span; with reduced motion only the final one. */
export function framesDuring([from, to]: Span, reducedMotion: boolean, steps: number, look: (progress: number) => Omit<RevealFrame, "at">): RevealFrame[] {
  const shares = reducedMotion ? [0, 1] : Array.from({ length: steps + 1 }, (_, step) => step / steps);
  return shares.map((share) => ({ at: share === 1 ? to : Math.min(to, from + (to - from) * share), ...look(share) }));
}
