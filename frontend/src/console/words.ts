import { thousands } from "../live/format";
import { sideOf, teamOf, type Phase } from "../live/phase";
import type { Action, Changes, EventState, Match, Reveal, Side, SideTally, Turn, TurnoutCounted } from "../protocol";

const DONE: Record<Action, string> = {
  "lobby.open": "The lobby is open.",
  "joining.lock": "Joining is locked.",
  "joining.unlock": "Joining is open again.",
  "match.start": "The match has started.",
  "match.abort": "The match is aborted.",
  "turn.pause": "Paused.",
  "turn.resume": "On it goes.",
  "turn.extend": "",
  "turn.close": "Closed and counted.",
  "turn.void": "Taken back: the turn is voted again.",
  "rehearsal.start": "A simulated crowd is coming.",
  "rehearsal.stop": "The simulated crowd goes home.",
};

const UNITS = [["d", 86_400], ["h", 3600], ["min", 60]] as const;

/** "30 s", "10 min", "1 d": in the largest unit that goes into it. */
export function span(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? ["s", 1];
  return `${seconds / size}\u00a0${unit}`;
}

export function doneText({ action, seconds }: { action: Action; seconds?: number }): string {
  return action === "turn.extend" ? `${span(seconds ?? 0)} more.` : DONE[action];
}

/** What is going on, in a few words. */
export function headline(event: EventState, phase: Phase): string {
  const { match } = event;
  if (phase === "lobby" || !match) return lobbyHeadline(event);
  if (phase === "ended") return outcome(event, match);
  const turn = phase === "reveal" ? match.reveal : match.turn;
  return `Turn ${turn?.number ?? 1}: ${PHASES[phase]}`;
}

const PHASES: Record<Exclude<Phase, "lobby" | "ended">, string> = {
  waiting: "about to open",
  voting: "voting",
  sealed: "counting",
  reveal: "reveal",
  paused: "paused",
};

function lobbyHeadline({ lobby, match }: EventState): string {
  if (match?.state === "aborted") return `Match ${match.number} was aborted`;
  if (lobby === "closed") return "The lobby is closed";
  return lobby === "open" ? "People are joining" : "Joining is locked";
}

/** What the hall reads below the board. */
export function caption(event: EventState, phase: Phase): string {
  const { match } = event;
  if (phase === "lobby" || !match) return "";
  if (phase === "reveal" && match.reveal) return capital(picksText(event, match.reveal));
  return phase === "ended" ? outcome(event, match) : match.title;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the clock counts down to. */
export function clockLabel(event: EventState, phase: Phase): string {
  if (phase === "voting") return "to vote";
  if (phase === "paused") return "left, paused";
  if (phase === "waiting" || phase === "reveal") return event.match?.turn ? `until turn ${event.match.turn.number} opens` : "of reveal";
  return event.next_match_at ? "until the next match" : "";
}

/** Ballots are taken, or were and are not counted yet. */
export function isWindow(phase: Phase): boolean {
  return phase === "voting" || phase === "paused" || phase === "sealed";
}

export function turnoutLine(event: EventState, turnout: TurnoutCounted | null, phase: Phase): string {
  const all = event.teams.map(({ number }) => number);
  if (!isWindow(phase)) return `${thousands(sum(turnout?.connected, all))} connected`;
  const movers = all.filter((team) => event.match?.turn?.to_move.includes(sideOf(event, team)));
  return `${thousands(sum(turnout?.voted, movers))} of ${thousands(sum(turnout?.connected, movers))} voted`;
}

function sum(counts: readonly [number, number] | undefined, teams: readonly number[]): number {
  return teams.reduce((total, team) => total + (counts?.[team - 1] ?? 0), 0);
}

/** What a change was, for the list of what happened. */
export function changeText(change: Changes, before: EventState | null): string {
  const { match } = change.state;
  switch (change.type) {
    case "lobby.opened":
      return "The lobby opened";
    case "joining.locked":
      return "Joining was locked";
    case "joining.unlocked":
      return "Joining was opened again";
    case "event.edited":
      return "The event was edited";
    case "match.started":
      return `Match ${match?.number ?? 1} started`;
    case "match.aborted":
      return `Match ${match?.number ?? 1} was aborted`;
    case "turn.revealed":
      return match?.reveal ? revealText(change.state, match, match.reveal) : "A turn was revealed";
    case "turn.moved":
      return movedText(match?.turn ?? null, before?.match?.turn ?? null);
    default:
      return `${turnName(match?.turn ?? null)} ${TURN_CHANGES[change.type]}`;
  }
}

const TURN_CHANGES = {
  "turn.paused": "was paused",
  "turn.resumed": "goes on",
  "turn.voided": "was taken back and is voted again",
  "turn.restored": "had lost votes, phones send them again: more time",
} as const;

function turnName(turn: Turn | null): string {
  return turn ? `Turn ${turn.number}` : "The turn";
}

function movedText(turn: Turn | null, before: Turn | null): string {
  const more = turn && before && turn.id === before.id ? Math.round((endOf(turn) - endOf(before)) / 1000) : 0;
  return more > 0 ? `${turnName(turn)} got ${span(more)} more` : `${turnName(turn)} was closed early`;
}

function endOf(turn: Turn): number {
  return turn.paused ? turn.left_ms : turn.closes_at;
}

function revealText(event: EventState, match: Match, reveal: Reveal): string {
  const end = match.state === "ended" ? `. ${outcome(event, match)}` : "";
  return `Turn ${reveal.number}: ${picksText(event, reveal)}${end}`;
}

export function picksText(event: EventState, reveal: Reveal): string {
  if (reveal.resolution.conflict !== null) return `both played ${reveal.resolution.conflict}`;
  const sides: readonly Side[] = ["red", "yellow"];
  const told = sides.flatMap((side) => {
    const tally = reveal[side];
    return tally ? [`${teamOf(event, side).name} ${pickText(tally)}`] : [];
  });
  return told.join(", ");
}

function pickText({ pick }: SideTally): string {
  return pick === null ? "nothing" : `${pick}`;
}

function outcome(event: EventState, match: Match): string {
  if (match.result !== "red" && match.result !== "yellow") return `Match ${match.number} is a draw`;
  return `${teamOf(event, match.result).name} won match ${match.number}`;
}
