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
      sealed <b>{fingerprint(root)}</b>{broken && <>, counted <b>{fingerprint(after)}</b></>}
    </p>
  );
}
