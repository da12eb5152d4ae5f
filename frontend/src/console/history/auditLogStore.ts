import { Store } from "../../live/state/useStore";
import type { AuditEntry, ToConsole } from "../../protocol";

const MAX_ENTRIES = 10;

/** The event's audit log, newest first: actions from consoles and from projector keyboards. */
export class AuditLogStore {
  readonly store = new Store<{ entries: readonly AuditEntry[] }>({ entries: [] });

  receive(message: ToConsole): void {
    if (message.type === "console.welcomed") this.add(message.audit);
    if (message.type === "audit.updated") this.add(message.entries);
  }

  private add(added: readonly AuditEntry[]): void {
    const known = this.store.get().entries.filter(({ id }) => !added.some((entry) => entry.id === id));
    this.store.set({ entries: [...added, ...known].sort(newestFirst).slice(0, MAX_ENTRIES) });
  }
}

function newestFirst(one: AuditEntry, other: AuditEntry): number {
  return other.at - one.at || other.id - one.id;
}
