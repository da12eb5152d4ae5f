import type { Address } from "./address";
import type { Seated } from "./mine";

/** What the page is at, for both of its parts. */
export interface Desk {
  address: Address;
  seated: Seated | null;
  /** Whether the seat is taken that this device had before, whatever code is shown. */
  stays: boolean;
  /** The code that no event has. */
  unknown: string;
  /** Whether a form was sent without a code. */
  empty: boolean;
  /** Whether the vote is to be kept from those who look over a shoulder, and whether it is shown just now. */
  hiding: boolean;
  holding: boolean;
  /** Presses on the shape that came without a pause: the own sea shows them. */
  pressed: number;
  /** To another address, and takes a seat there. */
  go: (path: string, unknown?: string) => void;
  sit: () => void;
  redraw: () => void;
}
