import type { You } from "../../protocol";
import type { CastChoice, Receipt } from "./receipt";

// What the receipts tell of a ballot that is taken up again.

/** What was pressed last in a turn, also before the page was loaded anew. */
export function lastChoice(receipts: readonly Receipt[], turn: number): CastChoice | undefined {
  return receipts.find((receipt) => receipt.turn === turn)?.choices.slice(-1)[0];
}

/** Whether the ballot that the box holds may be from here. */
export function isFromThisDevice(receipts: readonly Receipt[], { turn, blind }: You): boolean {
  const receipt = receipts.find((one) => one.turn === turn);
  return !receipt || !blind || isOwnBlind(receipt, blind);
}

export function isOwnBlind({ choices }: Receipt, blind: string): boolean {
  return choices.some((choice) => choice[2] === blind);
}
