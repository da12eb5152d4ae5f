import { useEffect, useRef } from "preact/hooks";
import type { KeyShown } from "../../protocol";
import type { StageView } from "../scene/stageView";
import { admissionHint } from "../captions/captions";

const PERIOD_MS = 30_000;
const TICKS = 6;

/** The current join code, and how much of its validity is left. */
export function RotatingCode({ view, shown }: { view: StageView; shown: KeyShown | null }) {
  if (view.state.admission !== "rotating") return null;
  if (!shown) return <p class="needed">{admissionHint("rotating")}</p>;
  return (
    <p class="rotating-code">
      <Ring view={view} until={shown.until_at} />
      <b data-key={shown.key}>{shown.key}</b>
    </p>
  );
}

/** A countdown ring that runs out once per code. With reduced motion it shrinks in a few steps. */
function Ring({ view, until }: { view: StageView; until: number }) {
  const arc = useRef<SVGCircleElement>(null);
  useEffect(() => {
    const left = Math.max(0, until - view.now());
    const from = `${1 - Math.min(1, left / PERIOD_MS)}`;
    const easing = view.reducedMotion ? `steps(${TICKS})` : "linear";
    const run = arc.current?.animate([{ strokeDashoffset: from }, { strokeDashoffset: "1" }], { duration: left, easing, fill: "both" });
    return () => run?.cancel();
  }, [until, view.reducedMotion]);
  return (
    <svg class="ring" viewBox="0 0 100 100" aria-hidden="true">
      <circle cx="50" cy="50" r="42" />
      <circle cx="50" cy="50" r="42" pathLength="1" ref={arc} />
    </svg>
  );
}
