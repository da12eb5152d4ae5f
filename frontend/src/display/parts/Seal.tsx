import { fingerprint } from "../../live/format";
import { matchingSeal } from "../../live/match/seals";
import { tallyForSide } from "../scene/places";
import type { StageView } from "../scene/stageView";
import type { Side } from "../../protocol";

/**
 * The Merkle root that a side's ballots were sealed with, so that people can photograph it before the count is shown.
 * With secret sides, both sides' common commitment.
 */
export function Seal({ view, side }: { view: StageView; side: Side }) {
  const { scene, sealed } = view;
  const hiddenChoice = scene.match?.concealed;
  if (hiddenChoice?.side === side) return <SealFingerprint root={hiddenChoice.root} />;
  if (scene.phase !== "sealed" && scene.phase !== "reveal") return null;
  const reveal = scene.phase === "reveal" ? scene.reveal : null;
  const seal = reveal ? matchingSeal(reveal, sealed) : sealed?.turn === scene.turn?.id ? sealed : null;
  const before = seal?.turn_commitment ?? seal?.[side]?.root;
  const after = reveal?.turn_commitment ?? tallyForSide(reveal, side)?.root;
  const root = before ?? after;
  if (!root) return null;
  return <SealFingerprint root={root} other={before && after && before !== after ? after : null} />;
}

/** `other`: the root received with the reveal, which must be the same. */
function SealFingerprint({ root, other = null }: { root: string; other?: string | null }) {
  return (
    <p class="seal" data-broken={other !== null}>
      <SealIcon />
      <b>{fingerprint(root)}</b>
      {other !== null && <b>≠ {fingerprint(other)}</b>}
    </p>
  );
}

/** A wax seal with a keyhole, as a symbol where there is no room for the word "sealed". */
function SealIcon() {
  return (
    <svg viewBox="0 0 48 48" role="img" aria-label="sealed">
      <path d="M24 2 l6 5 8 -1 2 8 7 4 -3 7 3 7 -7 4 -2 8 -8 -1 -6 5 -6 -5 -8 1 -2 -8 -7 -4 3 -7 -3 -7 7 -4 2 -8 8 1 Z" />
      <path class="hole" d="M24 15 a6 6 0 0 1 3 11 l2 9 h-10 l2 -9 a6 6 0 0 1 3 -11 Z" />
    </svg>
  );
}
