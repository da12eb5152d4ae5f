import type { Side, You } from "../../protocol";
import type { CastChoice, Receipt } from "./receipt";

/** The receipt of a turn, unless the voter has been moved to the other side since. */
export function receiptForSide(receipts: readonly Receipt[], turn: number, side: Side | null): Receipt | undefined {
  return receipts.find((receipt) => receipt.turn === turn && receipt.side === side);
}

/** The last choice for a side in a turn, including choices made before a reload of the page. */
export function lastChoice(receipts: readonly Receipt[], turn: number, side: Side | null): CastChoice | undefined {
  return receiptForSide(receipts, turn, side)?.choices.slice(-1)[0];
}

/** Whether the ballot in the ballot box may come from this device. */
export function isFromThisDevice(receipts: readonly Receipt[], { turn, blind }: Pick<You, "turn" | "blind">): boolean {
  const receipt = receipts.find((candidate) => candidate.turn === turn);
  return !receipt || !blind || isOwnBlind(receipt, blind);
}

export function isOwnBlind({ choices }: Receipt, blind: string): boolean {
  return choices.some((choice) => choice[2] === blind);
}
