// Generated from voting/counting/methods/ by `manage.py generate_protocol`. Edits here are lost.
import type { Deciding, TallyMethod } from "./protocol";

export const DEFAULT_METHOD = "plurality";

/** The most votes that one ballot can give a choice. */
export const MAX_VOTES: { readonly [method in TallyMethod]: number } = {
  plurality: 1,
  approval: 1,
  lottery: 1,
  instant_runoff: 1,
  score: 5,
};

/** Decisions by the counts alone. */
export const COUNTED_DECISIONS: readonly Deciding[] = ["plurality", "approval", "score"];
