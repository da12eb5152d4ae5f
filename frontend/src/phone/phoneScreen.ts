import type { Address } from "./address";
import type { SeatedPhone } from "./seat/voterState";

/** The page's state, shared by both bundles. */
export interface PhoneScreen {
  address: Address;
  seated: SeatedPhone | null;
  /** Whether to keep this device's earlier seat, whatever code is in the address. */
  keepsSeat: boolean;
  /** The typed code that no event has. */
  unknown: string;
  /** Whether the form was submitted without a code. */
  empty: boolean;
  /** `hiding`: the vote is hidden from onlookers. `holding`: it is shown while the button is held down. */
  hiding: boolean;
  holding: boolean;
  /** Cheers: taps on the shape without a pause, which raise the water on this page. */
  pressed: number;
  /** Goes to another address and takes a seat there. */
  navigate: (path: string, unknown?: string) => void;
  takeNewSeat: () => void;
  redraw: () => void;
}
