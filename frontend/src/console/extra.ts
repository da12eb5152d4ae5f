import { Store } from "../live/store";
import type { Phase } from "../live/phase";
import type { EventState } from "../protocol";
import { isRunning, type Offer } from "./offers";

export const EXTRA_S = 30;
const LONGEST_WINDOW_S = 600;

interface Extra {
  on: boolean;
  /** The last turn that was given more time. */
  given: number;
}

/** More time in every turn, for those who need it: this page asks for it once a turn, for as long as it is open. */
export class ExtraTime {
  readonly store: Store<Extra>;

  constructor(private key: string) {
    this.store = new Store(JSON.parse(sessionStorage.getItem(key) ?? `{"on":false,"given":0}`) as Extra);
  }

  set(part: Partial<Extra>): void {
    this.store.set(part);
    sessionStorage.setItem(this.key, JSON.stringify(this.store.get()));
  }

  /** The press that the present turn still needs. */
  wanted(event: EventState, phase: Phase): Offer | null {
    return wantedBy(this.store.get(), event, phase);
  }
}

/** Whether thirty seconds make a difference. */
export function isShort({ match }: EventState): boolean {
  return !!match && match.window_s <= LONGEST_WINDOW_S;
}

/** A turn that somebody has given the time already gets it no second time. */
export function wantedBy({ on, given }: Extra, event: EventState, phase: Phase): Offer | null {
  const turn = event.match?.turn;
  if (!on || !turn || turn.id === given || !isShort(event) || !isRunning(phase)) return null;
  const lasts = turn.closes_at - turn.opens_at;
  if (lasts >= (event.match!.window_s + EXTRA_S) * 1000) return null;
  return { action: "turn.extend", label: "", shortcut: "", enabled: true, turn: turn.id, seconds: EXTRA_S };
}
