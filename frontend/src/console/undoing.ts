import { lastClosed } from "../live/phase";
import type { Deed, EventState, Pressed } from "../protocol";
import { plainOffer, type Offer } from "./offers";

/** A deed as it is listed. `undo` is the press that takes it back, while what it did still stands. */
export interface Listed {
  deed: Deed;
  undone: boolean;
  undo: Offer | null;
}

/** What a deed is held against: the event as it is, and whether a rehearsal plays. */
export interface Present {
  event: EventState;
  rehearsing: boolean;
}

const GRAVE = ["turn.void", "match.abort"];

/** Newest first, as they come. */
export function listed(deeds: readonly Deed[], present: Present): Listed[] {
  const undone = undoneOf(deeds);
  return deeds.map((deed, index) => ({
    deed,
    undone: undone.has(deed.id),
    undo: undone.has(deed.id) || !stands(deed, deeds.slice(0, index), present) ? null : offerOf(deed.undo!),
  }));
}

/** The deeds that a later one has taken back: it pressed what their undo says. */
function undoneOf(deeds: readonly Deed[]): ReadonlySet<number> {
  const undone = new Set<number>();
  deeds.forEach((_, fromNewest) => {
    const index = deeds.length - 1 - fromNewest;
    const older = deeds.slice(index + 1).filter(({ id }) => !undone.has(id));
    const at = older.findIndex((one) => isSame(one.undo, deeds[index]!.pressed));
    if (at >= 0 && !isTouched(older[at]!, older.slice(0, at))) undone.add(older[at]!.id);
  });
  return undone;
}

function isSame(one: Pressed | null, other: Pressed | null): boolean {
  return !!one && !!other && [...Object.keys(one)].every((key) => one[key as keyof Pressed] === other[key as keyof Pressed]);
}

/** Whether something newer was about the same thing. */
function isTouched({ pressed }: Deed, newer: readonly Deed[]): boolean {
  const topic = topicOf(pressed);
  return topic !== "" && newer.some((one) => topicOf(one.pressed) === topic);
}

/** What only the last deed can be right about; empty: each deed stands for itself. */
function topicOf(pressed: Pressed | null): string {
  if (!pressed) return "";
  const { action, turn, part, sign } = pressed;
  if (action === "lobby.open" || action.startsWith("joining.")) return "door";
  if (action === "turn.pause" || action === "turn.resume") return `hold ${turn}`;
  if (action.startsWith("turn.") || action === "hands.count") return "";
  return [action.split(".")[0], part, sign].join(" ");
}

/** Whether what was done is still so, and nothing newer has touched it. */
function stands(deed: Deed, newer: readonly Deed[], { event, rehearsing }: Present): boolean {
  return !!deed.undo && !!deed.pressed && !isTouched(deed, newer) && isSo(deed.pressed, event, rehearsing);
}

function isSo(pressed: Pressed, { lobby, match, notice, hidden, extra_s }: EventState, rehearsing: boolean): boolean {
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
    case "pace.set":
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

function offerOf({ action, turn, seconds, text, part, team, sign }: Pressed): Offer {
  return { ...plainOffer(action, "Undo"), turn, seconds, text, part, team, sign, ...(GRAVE.includes(action) ? { sure: "Sure?" } : {}) };
}
