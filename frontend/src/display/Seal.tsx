import { fingerprint } from "../live/format";
import { sealOf } from "../live/seals";
import { tallyOf } from "./sides";
import type { View } from "./view";
import type { Side } from "../protocol";

/**
 * What a side's ballots were sealed with, to be photographed before the count is shown; where sides are secret, what
 * both were sealed with together.
 */
export function Seal({ view, side }: { view: View; side: Side }) {
  const { scene, sealed } = view;
  const kept = scene.match?.concealed;
  if (kept?.side === side) return <Print root={kept.root} />;
  if (scene.phase !== "sealed" && scene.phase !== "reveal") return null;
  const reveal = scene.phase === "reveal" ? scene.reveal : null;
  const seal = reveal ? sealOf(reveal, sealed) : sealed?.turn === scene.turn?.id ? sealed : null;
  const before = seal?.whole ?? seal?.[side]?.root;
  const after = reveal?.whole ?? tallyOf(reveal, side)?.root;
  const root = before ?? after;
  if (!root) return null;
  return <Print root={root} other={before && after && before !== after ? after : null} />;
}

/** `other`: what was told later, though it has to be the same. */
function Print({ root, other = null }: { root: string; other?: string | null }) {
  return (
    <p class="seal" data-broken={other !== null}>
      <Wax />
      <b>{fingerprint(root)}</b>
      {other !== null && <b>≠ {fingerprint(other)}</b>}
    </p>
  );
}

/** A seal of wax with a keyhole: it says "sealed" where there is no room for the word. */
function Wax() {
  return (
    <svg viewBox="0 0 48 48" role="img" aria-label="sealed">
      <path d="M24 2 l6 5 8 -1 2 8 7 4 -3 7 3 7 -7 4 -2 8 -8 -1 -6 5 -6 -5 -8 1 -2 -8 -7 -4 3 -7 -3 -7 7 -4 2 -8 8 1 Z" />
      <path class="hole" d="M24 15 a6 6 0 0 1 3 11 l2 9 h-10 l2 -9 a6 6 0 0 1 3 -11 Z" />
    </svg>
  );
}
