import { NUMBER_LOCALE, p, t } from "../live/i18n";
import { endReasonText } from "../live/match/endReason";
import { idleText } from "../live/match/idleText";
import { otherSide } from "../live/match/grid";
import { isTalkHeld, sideForTeam, teamForSide, type Phase } from "../live/match/phase";
import { currentSeries, winsNeeded } from "../live/match/series";
import { hasPhones, sourceText } from "../live/match/ballotSource";
import type { EventState, Match, Reveal, Side, SideTally, TurnoutCounted, Vote } from "../protocol";

/** "30 s", "10 min", "1 d": in the largest unit that divides the span. */
export function formatSpan(seconds: number): string {
  if (seconds % 60) return formatSeconds(seconds);
  if (seconds % 3600) return p("duration", "%(count)s\u00a0min", { count: seconds / 60 });
  if (seconds % 86_400) return p("duration", "%(count)s\u00a0h", { count: seconds / 3600 });
  return p("duration", "%(count)s\u00a0d", { count: seconds / 86_400 });
}

/** "30 s", "0.08 s". */
export function formatSeconds(seconds: number, digits = 0): string {
  return p("duration", "%(count)s\u00a0s", { count: seconds.toLocaleString(NUMBER_LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits }) });
}

export function joinList(items: readonly string[]): string {
  return items.join(p("between the items of a list", ", "));
}

/** The current state in a few words. */
export function headline(event: EventState, phase: Phase): string {
  const { match } = event;
  if (phase === "lobby" || !match) return lobbyHeadline(event);
  if (phase === "ended") return explainedOutcome(event, match);
  const turn = (phase === "reveal" ? match.reveal : match.turn)?.number ?? 1;
  if (phase === "reveal") return t("Turn %(turn)s: reveal", { turn });
  if (phase === "paused" && match.turn?.idle) return idleText(match.turn);
  if (phase === "sealed" && match.host_wait_s) return t("Turn %(turn)s: votes are in", { turn });
  if (phase !== "waiting") return windowHeadline(phase, match.board.vote, turn);
  return isTalk(event, phase) ? t("Turn %(turn)s: time to talk", { turn }) : t("Turn %(turn)s: about to open", { turn });
}

function windowHeadline(phase: "voting" | "paused" | "sealed", vote: Vote | null, turn: number): string {
  if (vote === "concealed") {
    if (phase === "voting") return t("Turn %(turn)s: voting, in secret", { turn });
    return phase === "paused" ? t("Turn %(turn)s: paused, in secret", { turn }) : t("Turn %(turn)s: counting, in secret", { turn });
  }
  if (vote === "open") {
    if (phase === "voting") return t("Turn %(turn)s: voting, in public", { turn });
    return phase === "paused" ? t("Turn %(turn)s: paused, in public", { turn }) : t("Turn %(turn)s: counting, in public", { turn });
  }
  if (phase === "voting") return t("Turn %(turn)s: voting", { turn });
  return phase === "paused" ? t("Turn %(turn)s: paused", { turn }) : t("Turn %(turn)s: counting", { turn });
}

/** Whether the teams discuss: between a reveal and the next window, in an event with discussion time. */
export function isTalk({ match }: EventState, phase: Phase): boolean {
  return phase === "waiting" && !!match?.turn?.talk_ms;
}

function lobbyHeadline({ lobby, match }: EventState): string {
  if (match?.state === "aborted") return t("Match %(match)s was aborted", { match: match.number });
  if (lobby === "closed") return t("The lobby is closed");
  return lobby === "open" ? t("People are joining") : t("Joining is locked");
}

/** A key as written on the buttons. */
export function keyName(key: string): string {
  return key === "Space" ? p("key", "Space") : key;
}

/** What the clock counts down to. */
export function clockLabel(event: EventState, phase: Phase): string {
  if (phase === "voting") return p("after the time left", "to vote");
  if (phase === "paused") return p("after the time left", "left (paused)");
  if (phase === "sealed") return !event.match?.host_wait_s ? "" : p("after the time left", "until the reveal starts by itself");
  if (isTalk(event, phase)) return p("after the time left", "to talk");
  if (phase === "waiting" || phase === "reveal") return event.match?.turn ? p("after the time left", "until turn %(turn)s opens", { turn: event.match.turn.number }) : p("after the time left", "left in the reveal");
  return event.next_match_at ? p("after the time left", "until the next match") : "";
}

/** Whether ballots are accepted, or were accepted and are not counted yet. */
export function isWindowPhase(phase: Phase): boolean {
  return phase === "voting" || phase === "paused" || phase === "sealed";
}

/** A team's current status. `share`: the share of its connected voters that has voted. */
export interface TeamStatus {
  /** Of a team without phones, where its votes come from. */
  source: string;
  choosing: boolean;
  here: number;
  voted: number;
  share: number;
}

export function teamStatus(event: EventState, team: 1 | 2, turnout: TurnoutCounted | null, phase: Phase): TeamStatus {
  const own = event.teams[team - 1]!;
  const source = hasPhones(own) ? "" : sourceText(own);
  const turn = event.match?.turn;
  const choosing = isWindowPhase(phase) && !!turn && !isTalkHeld(turn) && turn.to_move.includes(sideForTeam(event, team));
  const [here, voted] = [turnout?.connected[team - 1] ?? 0, turnout?.voted[team - 1] ?? 0];
  return { source, choosing, here, voted, share: choosing && here && !source ? Math.min(1, voted / here) : 0 };
}

/** The score of the series: "Best of 3: 1 to 1, first to 2". Empty outside a series. */
export function seriesText(event: EventState): string {
  if (event.best_of === null) return "";
  const { won, winner } = currentSeries(event);
  if (winner) return t("%(name)s won the series, %(most)s to %(least)s", { name: event.teams[winner - 1]!.name, most: Math.max(...won), least: Math.min(...won) });
  return t("Best of %(count)s: %(one)s to %(two)s, first to %(wins)s", { count: event.best_of, one: won[0], two: won[1], wins: winsNeeded(event) ?? 0 });
}

export function revealText(event: EventState, match: Match, reveal: Reveal): string {
  const [turn, picks] = [reveal.number, picksText(event, reveal)];
  if (match.state !== "ended") return t("Turn %(turn)s: %(picks)s", { turn, picks });
  return t("Turn %(turn)s: %(picks)s. %(outcome)s", { turn, picks, outcome: explainedOutcome(event, match) });
}

export function picksText(event: EventState, reveal: Reveal): string {
  if (reveal.resolution.conflict !== null) return t("both picked %(column)s", { column: reveal.resolution.conflict });
  const sides: readonly Side[] = ["red", "yellow"];
  const picks = sides.flatMap((side) => {
    const tally = reveal[side];
    return tally ? [pickText(teamForSide(event, side).name, tally)] : [];
  });
  return joinList(picks);
}

function pickText(name: string, { pick }: SideTally): string {
  return pick === null ? t("%(name)s: no move", { name }) : t("%(name)s %(column)s", { name, column: pick });
}

export function outcomeText(event: EventState, match: Match): string {
  if (match.result !== "red" && match.result !== "yellow") return t("Match %(match)s is a draw", { match: match.number });
  return t("%(name)s won match %(match)s", { name: teamForSide(event, match.result).name, match: match.number });
}

/** The outcome and why the match ended. */
function explainedOutcome(event: EventState, match: Match): string {
  const [winner, loser] = match.result === "red" || match.result === "yellow" ? [match.result, otherSide(match.result)] : [null, null];
  const reason = endReasonText(match.end_reason, winner ? teamForSide(event, winner).name : "", loser ? teamForSide(event, loser).name : "");
  return withReason(outcomeText(event, match), reason);
}

/** "North won: Four in a row". */
export function withReason(outcome: string, reason: string): string {
  return reason ? t("%(outcome)s: %(reason)s", { outcome, reason }) : outcome;
}
