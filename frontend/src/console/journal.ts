import { Store } from "../live/store";
import type { Action, Changes, EventState, ToConsole } from "../protocol";
import { changeText } from "./words";

const KEPT = 10;

export interface Entry {
  seq: number;
  at: number;
  type: Changes["type"];
  text: string;
  turn: number | null;
}

/** The last things that happened, newest first; they survive a reload of the page. */
export class Journal {
  readonly store: Store<{ entries: readonly Entry[] }>;
  private before: EventState | null = null;

  constructor(private key: string) {
    this.store = new Store({ entries: kept(key) });
  }

  hear(message: ToConsole): void {
    if (!("state" in message)) return;
    if (message.type === "console.welcomed") this.forgetOthers(message.seq);
    else this.write(message);
    this.before = message.state;
  }

  /** What was kept is another evening's, if it counted further. */
  private forgetOthers(seq: number): void {
    if (this.store.get().entries.some((entry) => entry.seq > seq)) this.store.set({ entries: [] });
  }

  private write(change: Changes): void {
    const known = this.store.get().entries;
    if (known.some(({ seq }) => seq >= change.seq)) return;
    const turn = change.state.match?.reveal?.turn ?? null;
    const entry = { seq: change.seq, at: change.at, type: change.type, text: changeText(change, this.before), turn };
    const entries = [entry, ...known].slice(0, KEPT);
    this.store.set({ entries });
    sessionStorage.setItem(this.key, JSON.stringify(entries));
  }
}

function kept(key: string): Entry[] {
  return JSON.parse(sessionStorage.getItem(key) ?? "[]") as Entry[];
}

const LOBBY: readonly Changes["type"][] = ["lobby.opened", "joining.locked", "joining.unlocked"];

/** The action that undoes an entry, as long as nothing newer has changed the same thing. */
export function undoOf(entry: Entry, entries: readonly Entry[], event: EventState): Action | null {
  if (entry.type === "turn.revealed") return event.match?.reveal?.turn === entry.turn ? "turn.void" : null;
  if (entry.type === "turn.paused") return event.match?.turn?.paused && entries[0] === entry ? "turn.resume" : null;
  if (entries.find(({ type }) => LOBBY.includes(type)) !== entry) return null;
  return event.lobby === "locked" ? "joining.unlock" : "joining.lock";
}
