import { sideForTeam, teamForSide, type Phase } from "../live/match/phase";
import { currentSeries, winsNeeded } from "../live/match/series";
import type { EventState, Match, Reveal, Side, SideTally, TurnoutCounted, Vote } from "../protocol";

const UNITS = [["d", 86_400], ["h", 3600], ["min", 60]] as const;

/** "30 s", "10 min", "1 d": in the largest unit that divides the span. */
export function formatSpan(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? ["s", 1];
  return `${seconds / size}\u00a0${unit}`;
}

/** The current state in a few words. */
export function headline(event: EventState, phase: Phase): string {
  const { match } = event;
  if (phase === "lobby" || !match) return lobbyHeadline(event);
  if (phase === "ended") return outcomeText(event, match);
  const turn = phase === "reveal" ? match.reveal : match.turn;
  return `Turn ${turn?.number ?? 1}: ${isTalk(event, phase) ? "time to talk" : PHASES[phase]}${isWindowPhase(phase) && match.board.vote ? VOTE_SUFFIXES[match.board.vote] : ""}`;
}

const VOTE_SUFFIXES: Record<Vote, string> = { concealed: ", in secret", open: ", in public" };

const PHASES: Record<Exclude<Phase, "lobby" | "ended">, string> = {
  waiting: "about to open",
  voting: "voting",
  sealed: "counting",
  reveal: "reveal",
  paused: "paused",
};

/** Whether the teams discuss: between a reveal and the next window, in an event with discussion time. */
export function isTalk({ match }: EventState, phase: Phase): boolean {
  return phase === "waiting" && !!match?.turn?.talk_ms;
}

function lobbyHeadline({ lobby, match }: EventState): string {
  if (match?.state === "aborted") return `Match ${match.number} was aborted`;
  if (lobby === "closed") return "The lobby is closed";
  return lobby === "open" ? "People are joining" : "Joining is locked";
}

/** What the clock counts down to. */
export function clockLabel(event: EventState, phase: Phase): string {
  if (phase === "voting") return "to vote";
  if (phase === "paused") return "left (paused)";
  if (phase === "sealed") return "";
  if (isTalk(event, phase)) return "to talk";
  if (phase === "waiting" || phase === "reveal") return event.match?.turn ? `until turn ${event.match.turn.number} opens` : "left in the reveal";
  return event.next_match_at ? "until the next match" : "";
}

/** Whether ballots are accepted, or were accepted and are not counted yet. */
export function isWindowPhase(phase: Phase): boolean {
  return phase === "voting" || phase === "paused" || phase === "sealed";
}

/** A team's current status. `share`: the share of its connected voters that has voted. */
export interface TeamStatus {
  hands: boolean;
  choosing: boolean;
  here: number;
  voted: number;
  share: number;
}

export function teamStatus(event: EventState, team: 1 | 2, turnout: TurnoutCounted | null, phase: Phase): TeamStatus {
  const hands = event.teams[team - 1]!.hands;
  const choosing = isWindowPhase(phase) && !!event.match?.turn?.to_move.includes(sideForTeam(event, team));
  const [here, voted] = [turnout?.connected[team - 1] ?? 0, turnout?.voted[team - 1] ?? 0];
  return { hands, choosing, here, voted, share: choosing && here && !hands ? Math.min(1, voted / here) : 0 };
}

/** The score of the series: "Best of 3: 1 to 1, first to 2". Empty outside a series. */
export function seriesText(event: EventState): string {
  if (event.best_of === null) return "";
  const { won, winner } = currentSeries(event);
  if (winner) return `${event.teams[winner - 1]!.name} won the series, ${Math.max(...won)} to ${Math.min(...won)}`;
  return `Best of ${event.best_of}: ${won[0]} to ${won[1]}, first to ${winsNeeded(event)}`;
}

export function revealText(event: EventState, match: Match, reveal: Reveal): string {
  const end = match.state === "ended" ? `. ${outcomeText(event, match)}` : "";
  return `Turn ${reveal.number}: ${picksText(event, reveal)}${end}`;
}

export function picksText(event: EventState, reveal: Reveal): string {
  if (reveal.resolution.conflict !== null) return `both picked ${reveal.resolution.conflict}`;
  const sides: readonly Side[] = ["red", "yellow"];
  const picks = sides.flatMap((side) => {
    const tally = reveal[side];
    return tally ? [`${teamForSide(event, side).name} ${pickText(tally)}`] : [];
  });
  return picks.join(", ");
}

function pickText({ pick }: SideTally): string {
  return pick === null ? "no move" : `${pick}`;
}

export function outcomeText(event: EventState, match: Match): string {
  if (match.result !== "red" && match.result !== "yellow") return `Match ${match.number} is a draw`;
  return `${teamForSide(event, match.result).name} won match ${match.number}`;
}
