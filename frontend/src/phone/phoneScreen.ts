import type { Address } from "./address";
import type { SeatedPhone } from "./seat/voterState";

/** What the page is at, for both of its parts. */
export interface PhoneScreen {
  address: Address;
  seated: SeatedPhone | null;
  /** Whether the seat is taken that this device had before, whatever code is shown. */
  keepsSeat: boolean;
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
  navigate: (path: string, unknown?: string) => void;
  takeNewSeat: () => void;
  redraw: () => void;
}
