import { Store } from "../../live/state/useStore";
import type { AuditEntry, ToConsole } from "../../protocol";

/** More than are shown, so that a deed and what undid it are both known for a while. */
const MAX_ENTRIES = 40;

/** What was done in the control rooms of the event and by its projectors' keys, newest first. */
export class AuditLogStore {
  readonly store = new Store<{ entries: readonly AuditEntry[] }>({ entries: [] });

  receive(message: ToConsole): void {
    if (message.type === "console.welcomed") this.add(message.audit);
    if (message.type === "audit.logged") this.add([message.entry]);
  }

  private add(added: readonly AuditEntry[]): void {
    const known = this.store.get().entries.filter(({ id }) => !added.some((entry) => entry.id === id));
    this.store.set({ entries: [...added, ...known].sort(newestFirst).slice(0, MAX_ENTRIES) });
  }
}

function newestFirst(one: AuditEntry, other: AuditEntry): number {
  return other.at - one.at || other.id - one.id;
}
