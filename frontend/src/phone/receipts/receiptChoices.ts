import type { You } from "../../protocol";
import type { CastChoice, Receipt } from "./receipt";

/** The last choice in a turn, including choices made before a reload of the page. */
export function lastChoice(receipts: readonly Receipt[], turn: number): CastChoice | undefined {
  return receipts.find((receipt) => receipt.turn === turn)?.choices.slice(-1)[0];
}

/** Whether the ballot in the ballot box may come from this device. */
export function isFromThisDevice(receipts: readonly Receipt[], { turn, blind }: Pick<You, "turn" | "blind">): boolean {
  const receipt = receipts.find((candidate) => candidate.turn === turn);
  return !receipt || !blind || isOwnBlind(receipt, blind);
}

export function isOwnBlind({ choices }: Receipt, blind: string): boolean {
  return choices.some((choice) => choice[2] === blind);
}
