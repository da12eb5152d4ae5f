import type { EventState, Match, Resolution, Reveal, RevealSteps, Side, Team, Turn } from "../../protocol";

/** The phase of an event at a server time. `waiting`: a match is live, but its next window is not open yet. */
export type Phase = "lobby" | "waiting" | "voting" | "sealed" | "reveal" | "paused" | "ended";

export function currentPhase(event: EventState, now: number): Phase {
  const match = event.match;
  if (!match || match.state === "aborted") return "lobby";
  if (now < revealEnd(match)) return "reveal";
  if (match.state === "ended") return "ended";
  return match.turn ? turnPhase(match.turn, now) : "waiting";
}

function turnPhase(turn: Turn, now: number): Phase {
  if (turn.paused) return "paused";
  if (now < turn.opens_at) return "waiting";
  return now < turn.closes_at ? "voting" : "sealed";
}

/** Whether the turn is paused in its discussion time, before any vote. */
export function isTalkHeld({ paused, talk_ms }: Turn): boolean {
  return paused && talk_ms > 0;
}

/** What is left of a paused turn: of the discussion, or else of the vote. */
export function heldMs({ talk_ms, left_ms }: Turn): number {
  return talk_ms || left_ms;
}

/** When the reveal ends: at the latest when a window opens, usually then or at the talk before it. 0 without a reveal. */
export function revealEnd({ reveal, turn }: Match): number {
  if (!reveal) return 0;
  let end = reveal.resolved_at + reveal.steps.over;
  if (!turn || turn.paused) return end;
  if (turn.number === reveal.number + 1) end = Math.max(end, turn.opens_at - turn.talk_ms);
  return Math.min(end, turn.opens_at);
}

/** When a turn that waits for the organizer is revealed by itself: the end of its window if nothing waits. */
export function revealDue({ host_wait_s }: Match, turn: Turn): number {
  return turn.closes_at + (host_wait_s ?? 0) * 1000;
}

/** The server times at which the phase changes without a message, for `useMoments`. */
export function phaseMoments(event: EventState): number[] {
  if (!event.match) return [];
  const { turn } = event.match;
  return [...(turn ? [turn.opens_at, turn.closes_at] : []), revealEnd(event.match)];
}

/** The steps of a reveal that change what a phone or console shows. */
export type RevealStep = "sealed" | (typeof STEPS)[number];
const STEPS = ["pour", "picks", "drops", "lines"] as const;

export function revealMoments(match: Match): number[] {
  return match.reveal ? [...STEPS.map((step) => at(match.reveal!, step)), ...dropMoments(match)] : [];
}

export function revealStep({ reveal }: Match, now: number): RevealStep {
  const begun = STEPS.filter((step) => reveal && now >= at(reveal, step));
  return begun[begun.length - 1] ?? "sealed";
}

/** When each drop begins: both at once, or one after the other in a conflict. */
export function dropMoments({ reveal }: Match): number[] {
  return reveal ? reveal.resolution.drops.map((_, index) => at(reveal, index > 0 && reveal.steps.second !== null ? "second" : "drops")) : [];
}

/** When a drawn board changes to its state after the moves. */
export function landMoment({ reveal }: Match): number {
  return reveal ? at(reveal, "drops") : 0;
}

/** When the winner's line lights up: after the other side's, if both have one. */
export function verdictMoment({ reveal }: Match): number {
  return reveal ? at(reveal, reveal.steps.verdict === null ? "lines" : "verdict") : 0;
}

/** The side that receives the token after a turn. Null if it stays where it is, or if the match has ended. */
export function tokenReceiver({ result, token_before, token_after }: Resolution): Side | null {
  return result === "open" && token_after !== token_before ? token_after : null;
}

/** When the token changes sides, if it does; otherwise when the balls have landed. */
export function tokenMoment({ reveal }: Match): number {
  return reveal ? at(reveal, reveal.steps.token === null ? "lines" : "token") : 0;
}

function at(reveal: Reveal, step: keyof RevealSteps): number {
  return reveal.resolved_at + (reveal.steps[step] ?? 0);
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
