import type { DropShown } from "../../protocol";

/** A drop to mark, and the server time at which its message arrived. */
export interface MarkedDrop extends DropShown {
  at: number;
}

/** Further requests are dropped, so that the marks stay readable. */
const MAX_MARKS = 12;
const SHOWN_MS = 2000;

/** Adds a drop, unless as many as can be shown were added for its turn. */
export function withDrop(marked: readonly MarkedDrop[], drop: MarkedDrop): readonly MarkedDrop[] {
  const together = marked.filter(({ turn }) => turn === drop.turn);
  return together.length < MAX_MARKS ? [...together, drop] : together;
}

/** When the mark appears and disappears, as server times. `pour` and `picks` are those of the steps. */
export function markedTime({ at }: MarkedDrop, pour: number, picks: number): readonly [from: number, until: number] {
  return [Math.max(at, pour), Math.max(at, picks) + SHOWN_MS];
}
