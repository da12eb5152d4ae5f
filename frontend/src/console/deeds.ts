import { Store } from "../live/store";
import type { Deed, ToConsole } from "../protocol";

/** More than are shown, so that a deed and what undid it are both known for a while. */
const KEPT = 40;

/** What was done in the control rooms of the event and by its projectors' keys, newest first. */
export class Deeds {
  readonly store = new Store<{ deeds: readonly Deed[] }>({ deeds: [] });

  hear(message: ToConsole): void {
    if (message.type === "console.welcomed") this.add(message.deeds);
    if (message.type === "deed.told") this.add([message.deed]);
  }

  private add(told: readonly Deed[]): void {
    const known = this.store.get().deeds.filter(({ id }) => !told.some((deed) => deed.id === id));
    this.store.set({ deeds: [...told, ...known].sort(later).slice(0, KEPT) });
  }
}

function later(one: Deed, other: Deed): number {
  return other.at - one.at || other.id - one.id;
}
