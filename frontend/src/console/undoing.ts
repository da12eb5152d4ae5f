import type { Action, Deed, EventState, Part } from "../protocol";
import { plainOffer, type Offer } from "./offers";

/** A deed as it is listed. `undo` is the press that takes it back, while what it did still stands. */
export interface Listed {
  deed: Deed;
  undone: boolean;
  undo: Offer | null;
}

/** What a deed is held against: the event as it is, when turns were revealed as far as that is known, a rehearsal. */
export interface Present {
  event: EventState;
  revealedAt: readonly number[];
  rehearsing: boolean;
}

const OPPOSITE: { readonly [action in Action]?: Action } = {
  "joining.lock": "joining.unlock",
  "joining.unlock": "joining.lock",
  "match.start": "match.abort",
  "turn.pause": "turn.resume",
  "turn.resume": "turn.pause",
  "turn.extend": "turn.shorten",
  "turn.shorten": "turn.extend",
  "turn.close": "turn.void",
  "notice.show": "notice.clear",
  "notice.clear": "notice.show",
  "part.hide": "part.show",
  "part.show": "part.hide",
  "rehearsal.start": "rehearsal.stop",
};

const RESTARTS: readonly Action[] = ["match.start", "match.abort", "turn.void"];
const WROTE = "wrote: ";
const COUNTED_WITHIN_MS = 15_000;
const OBJECT = /\d+ (?:s|min|h)\b|(?:turn|match) \d+|the join code|the turnout|the votes/g;
const PARTS: Record<string, Part> = { "the join code": "code", "the turnout": "turnout", "the votes": "tally" };
const SECONDS: Record<string, number> = { s: 1, min: 60, h: 3600 };

/** Newest first, as they come. */
export function listed(deeds: readonly Deed[], present: Present): Listed[] {
  const undone = undoneOf(deeds, present);
  return deeds.map((deed, index) => ({
    deed,
    undone: undone.has(deed.id),
    undo: undone.has(deed.id) ? null : undoOf(deed, deeds.slice(0, index), deeds.slice(index + 1), present),
  }));
}

/** The deeds that a later one has taken back: the last one of the opposite kind, about the same thing. */
function undoneOf(deeds: readonly Deed[], present: Present): ReadonlySet<number> {
  const undone = new Set<number>();
  [...deeds].reverse().forEach((deed, index, oldestFirst) => {
    const before = oldestFirst.slice(0, index).reverse();
    const taken = before.find((one) => !undone.has(one.id) && isTakenBack(one, deed, present));
    if (taken && (taken.action !== "notice.clear" || before.some(({ what }) => what === deed.what))) undone.add(taken.id);
  });
  return undone;
}

function isTakenBack(deed: Deed, by: Deed, present: Present): boolean {
  if (OPPOSITE[deed.action] !== by.action) return false;
  if (aboutOf(deed) !== aboutOf(by)) return false;
  return !isTempo(deed) || isOneTurn(deed.at, by.at, present);
}

/** What a deed was done to, from its words: "10 s", "turn 4", "the votes". What an organizer wrote says nothing. */
function aboutOf({ action, what }: Deed): string {
  return action.startsWith("notice.") ? "" : (what.match(OBJECT) ?? []).join(" ");
}

function isTempo({ action }: Deed): boolean {
  return action === "turn.extend" || action === "turn.shorten";
}

/** Whether no turn was revealed between; what was before the first reveal that is known, is not known. */
function isOneTurn(from: number, to: number, { revealedAt }: Present): boolean {
  return revealedAt.every((at) => at < from || at > to) && (revealedAt.length === 0 || from >= Math.min(...revealedAt));
}

function undoOf(deed: Deed, newer: readonly Deed[], older: readonly Deed[], present: Present): Offer | null {
  const action = OPPOSITE[deed.action];
  if (!action || !stands(deed, newer, present)) return null;
  const undo = plainOffer(action, "Undo");
  const turn = present.event.match?.turn?.id ?? null;
  if (deed.action.startsWith("notice.")) return rewritten(deed, older, undo);
  if (deed.action.startsWith("part.")) return { ...undo, part: PARTS[aboutOf(deed)]! };
  if (isTempo(deed)) return { ...undo, turn, seconds: secondsOf(deed) };
  if (action === "turn.void") return { ...undo, turn: present.event.match?.reveal?.turn ?? null, sure: "Sure?" };
  return action === "match.abort" ? { ...undo, sure: "Sure?" } : { ...undo, turn: deed.action.startsWith("turn.") ? turn : null };
}

/** Whether what was done is still so, and nothing newer has touched it. */
function stands(deed: Deed, newer: readonly Deed[], present: Present): boolean {
  const { event, rehearsing } = present;
  const turn = event.match?.turn ?? null;
  const about = aboutOf(deed);
  switch (deed.action) {
    case "joining.lock":
      return event.lobby === "locked" && !newer.some(isOfLobby);
    case "joining.unlock":
      return event.lobby === "open" && !newer.some(isOfLobby);
    case "match.start":
      return event.match?.state === "playing" && about === `match ${event.match.number}`;
    case "turn.pause":
    case "turn.resume":
      return turn?.paused === (deed.action === "turn.pause") && about === `turn ${turn.number}` && isLast(deed, newer) && !isRestarted(newer);
    case "turn.extend":
    case "turn.shorten":
      return turn !== null && isOneTurn(deed.at, Infinity, present) && !isRestarted(newer);
    case "turn.close":
      return isRevealed(deed, event) && !isRestarted(newer);
    case "notice.show":
      return event.notice !== "" && isLast(deed, newer);
    case "notice.clear":
      return event.notice === "" && isLast(deed, newer);
    case "part.hide":
    case "part.show":
      return event.hidden.includes(PARTS[about]!) === (deed.action === "part.hide") && isLast(deed, newer);
    default:
      return rehearsing && isLast(deed, newer);
  }
}

function isOfLobby({ action }: Deed): boolean {
  return action === "lobby.open" || action.startsWith("joining.");
}

/** Whether the turn it was done to has begun anew, or is no more. */
function isRestarted(newer: readonly Deed[]): boolean {
  return newer.some(({ action }) => RESTARTS.includes(action));
}

/** Whether nothing newer of its kind, or of the opposite one, is about the same thing. */
function isLast(deed: Deed, newer: readonly Deed[]): boolean {
  const kinds = [deed.action, OPPOSITE[deed.action]];
  return !newer.some((one) => kinds.includes(one.action) && aboutOf(one) === aboutOf(deed));
}

function isRevealed(deed: Deed, { match }: EventState): boolean {
  const reveal = match?.state === "aborted" ? null : match?.reveal;
  return !!reveal && aboutOf(deed) === `turn ${reveal.number}` && Math.abs(deed.at - reveal.resolved_at) < COUNTED_WITHIN_MS;
}

function secondsOf(deed: Deed): number {
  const [count, unit] = aboutOf(deed).split(" ");
  return Number(count) * (SECONDS[unit ?? ""] ?? 1);
}

/** What was written before comes back, or nothing stands there. */
function rewritten(deed: Deed, older: readonly Deed[], undo: Offer): Offer | null {
  const before = older.find(({ action }) => action.startsWith("notice."));
  const text = before?.action === "notice.show" ? before.what.slice(WROTE.length) : "";
  if (text) return { ...undo, action: "notice.show", text };
  return deed.action === "notice.show" ? { ...undo, action: "notice.clear" } : null;
}
