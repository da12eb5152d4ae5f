import { lastClosed } from "../../live/match/phase";
import type { AuditEntry, EventState, Pressed } from "../../protocol";
import { plainOffer, type ActionOffer } from "../actions/offers";

/** An audit log entry as listed. `undo` is the command that reverts it, while its effect still holds. */
export interface ListedEntry {
  entry: AuditEntry;
  undone: boolean;
  undo: ActionOffer | null;
}

/** The current state that decides what can be undone: the event, and whether a rehearsal is running. */
export interface UndoContext {
  event: EventState;
  rehearsing: boolean;
}

const NEEDS_CONFIRMATION = ["turn.void", "match.abort"];

/** Newest first, like `audit`. */
export function listEntries(audit: readonly AuditEntry[], context: UndoContext): ListedEntry[] {
  const undone = findUndone(audit);
  return audit.map((entry, index) => ({
    entry,
    undone: undone.has(entry.id),
    undo: undone.has(entry.id) || !mayUndo(entry, audit.slice(0, index), context) ? null : undoOffer(entry.undo!),
  }));
}

/** The entries undone by a later one, whose action is the one their `undo` names. */
function findUndone(audit: readonly AuditEntry[]): ReadonlySet<number> {
  const undone = new Set<number>();
  audit.forEach((_, fromNewest) => {
    const index = audit.length - 1 - fromNewest;
    const older = audit.slice(index + 1).filter(({ id }) => !undone.has(id));
    const at = older.findIndex((one) => isSame(one.undo, audit[index]!.pressed));
    if (at >= 0 && !isSuperseded(older[at]!, older.slice(0, at))) undone.add(older[at]!.id);
  });
  return undone;
}

function isSame(one: Pressed | null, other: Pressed | null): boolean {
  return !!one && !!other && [...Object.keys(one)].every((key) => one[key as keyof Pressed] === other[key as keyof Pressed]);
}

/** Whether a newer entry concerns the same topic. */
function isSuperseded({ pressed }: AuditEntry, newer: readonly AuditEntry[]): boolean {
  const topic = undoTopic(pressed);
  return topic !== "" && newer.some((one) => undoTopic(one.pressed) === topic);
}

/** The topic of which only the last entry can be undone. Empty: the entry is independent of others. */
function undoTopic(pressed: Pressed | null): string {
  if (!pressed) return "";
  const { action, turn, part, voter_code } = pressed;
  if (action === "lobby.open" || action.startsWith("joining.")) return "door";
  if (action === "turn.pause" || action === "turn.resume") return `hold ${turn}`;
  if (action.startsWith("turn.") || action === "hands.count") return "";
  return [action.split(".")[0], part, voter_code].join(" ");
}

/** Whether the entry's effect still holds and no newer entry has changed it. */
function mayUndo(entry: AuditEntry, newer: readonly AuditEntry[], { event, rehearsing }: UndoContext): boolean {
  return !!entry.undo && !!entry.pressed && !isSuperseded(entry, newer) && isInEffect(entry.pressed, event, rehearsing);
}

function isInEffect(pressed: Pressed, { lobby, match, notice, hidden, extra_s }: EventState, rehearsing: boolean): boolean {
  const turn = match?.turn ?? null;
  switch (pressed.action) {
    case "joining.lock":
      return lobby === "locked";
    case "joining.unlock":
      return lobby === "open";
    case "match.start":
      return match?.state === "playing" && match.number === pressed.match;
    case "turn.pause":
    case "turn.resume":
      return turn?.id === pressed.turn && turn?.paused === (pressed.action === "turn.pause");
    case "turn.extend":
    case "turn.shorten":
      return turn?.id === pressed.turn;
    case "turn.close":
      return lastClosed(match ?? null)?.turn === pressed.turn;
    case "turn.extra_time":
      return extra_s === (pressed.seconds ?? 0);
    case "notice.show":
    case "notice.clear":
      return notice === (pressed.text ?? "");
    case "part.hide":
    case "part.show":
      return hidden.includes(pressed.part!) === (pressed.action === "part.hide");
    default:
      return pressed.action.startsWith("voter.") || rehearsing;
  }
}

function undoOffer({ action, turn, seconds, text, part, team, voter_code }: Pressed): ActionOffer {
  return { ...plainOffer(action, "Undo"), turn, seconds, text, part, team, voter_code, ...(NEEDS_CONFIRMATION.includes(action) ? { confirm: "Sure?" } : {}) };
}
