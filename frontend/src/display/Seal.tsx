import { fingerprint } from "../live/format";
import { sealOf } from "../live/seals";
import { tallyOf } from "./sides";
import type { View } from "./view";
import type { Side } from "../protocol";

/** What a side's ballots were sealed with, to be photographed before the count is shown. */
export function Seal({ view, side }: { view: View; side: Side }) {
  const { scene, sealed } = view;
  if (scene.phase !== "sealed" && scene.phase !== "reveal") return null;
  const reveal = scene.phase === "reveal" ? scene.reveal : null;
  const seal = reveal ? sealOf(reveal, sealed) : sealed?.turn === scene.turn?.id ? sealed : null;
  const before = seal?.[side]?.root;
  const after = tallyOf(reveal, side)?.root;
  const root = before ?? after;
  if (!root) return null;
  const broken = !!before && !!after && before !== after;
  return (
    <p class="seal" data-broken={broken}>
      <Wax />
      <b>{fingerprint(root)}</b>
      {broken && <b>≠ {fingerprint(after)}</b>}
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
