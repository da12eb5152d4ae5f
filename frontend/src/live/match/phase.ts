import type { EventState, Match, Reveal, Side, Team, Turn } from "../../protocol";

/** The phase of an event at a server time. `waiting`: a match is live, but its next window is not open yet. */
export type Phase = "lobby" | "waiting" | "voting" | "sealed" | "reveal" | "paused" | "ended";

export function currentPhase(event: EventState, now: number): Phase {
  const match = event.match;
  if (!match || match.state === "aborted") return "lobby";
  if (isRevealing(match, now)) return "reveal";
  if (match.state === "ended") return "ended";
  return match.turn ? turnPhase(match.turn, now) : "waiting";
}

function turnPhase(turn: Turn, now: number): Phase {
  if (turn.paused) return "paused";
  if (now < turn.opens_at) return "waiting";
  return now < turn.closes_at ? "voting" : "sealed";
}

function isRevealing(match: Match, now: number): boolean {
  return now < revealEnd(match);
}

/** When the reveal ends: usually when the next window opens, or the talk before it. 0 without a reveal. */
export function revealEnd({ reveal, reveal_s, turn }: Match): number {
  if (!reveal) return 0;
  const end = reveal.resolved_at + reveal_s * 1000;
  const follows = turn && !turn.paused && turn.number === reveal.number + 1;
  return follows ? Math.max(end, turn.opens_at - turn.talk_ms) : end;
}

/** The server times at which the phase changes without a message, for `useMoments`. */
export function phaseMoments(event: EventState): number[] {
  if (!event.match) return [];
  const { turn } = event.match;
  return [...(turn ? [turn.opens_at, turn.closes_at] : []), revealEnd(event.match)];
}

/** The steps of a reveal and when each begins, as shares of its length (designed for 6 s). */
export type RevealStep = "sealed" | "pour" | "picks" | "drops" | "lines";
const STEPS: readonly (readonly [RevealStep, number])[] = [
  ["sealed", 0],
  ["pour", 0.4 / 6],
  ["picks", 1.6 / 6],
  ["drops", 2.4 / 6],
  ["lines", 4 / 6],
];

export function revealMoments(match: Match): number[] {
  const reveal = match.reveal;
  if (!reveal) return [];
  return [...STEPS.map(([, share]) => at(reveal, match, share)), ...dropMoments(match)];
}

export function revealStep(match: Match, now: number): RevealStep {
  const reveal = match.reveal;
  const begun = STEPS.filter(([, share]) => reveal && now >= at(reveal, match, share));
  return begun[begun.length - 1]?.[0] ?? "sealed";
}

/** When each drop begins: both at once, or one after the other in a conflict. */
export function dropMoments(match: Match): number[] {
  const reveal = match.reveal;
  if (!reveal) return [];
  const apart = reveal.resolution.conflict === null ? 0 : 0.7 / 6;
  return reveal.resolution.drops.map((_, index) => at(reveal, match, 2.4 / 6 + index * apart));
}

/** When a drawn board changes to its state after the moves. */
export function landMoment(match: Match): number {
  return match.reveal ? at(match.reveal, match, 2.4 / 6) : 0;
}

/** When the token changes sides, if it does. */
export function tokenMoment(match: Match): number {
  return match.reveal ? at(match.reveal, match, 3.6 / 6) : 0;
}

function at(reveal: Reveal, match: Match, share: number): number {
  return reveal.resolved_at + match.reveal_s * 1000 * share;
}

/** The turn that can be voided: revealed, or kept secret until the next reveal. */
export function lastClosed(match: Match | null): { turn: number; number: number } | null {
  if (!match || match.state === "aborted") return null;
  return match.concealed ?? match.reveal;
}

export function teamForSide(event: EventState, side: Side): Team {
  return event.teams[(event.match?.[side] ?? 1) - 1]!;
}

/** The side that a team plays. Before the first match, team 1 is red. */
export function sideForTeam(event: EventState, team: number): Side {
  if (!event.match) return team === 1 ? "red" : "yellow";
  return event.match.red === team ? "red" : "yellow";
}
