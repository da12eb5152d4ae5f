import { nParts, t } from "../../live/i18n";
import { Badge } from "../../board/Ball";
import { Grid } from "../../board/Grid";
import { DrawnBoard } from "../../board/DrawnBoard";
import { Coin } from "../../board/Coin";
import { boardBefore } from "../../board/boardBefore";
import type { ServerClock } from "../../live/connection/clock";
import { formatCountdown, formatPercent, formatNumber } from "../../live/format";
import { useNow } from "../../live/state/useNow";
import { mostVotes } from "../../live/match/support";
import { revealStep, sideForTeam, tokenMoment, type Phase } from "../../live/match/phase";
import type { Board, EventState, Match, Side, TurnoutCounted } from "../../protocol";
import "./preview.css";
import { clockEnd } from "./clockEnd";
import { isTalk, outcomeText, picksText, seriesText, teamStatus } from "../labels";

interface Props {
  event: EventState;
  phase: Phase;
  now: number;
  turnout: TurnoutCounted | null;
  joinUrl: string;
  clock: ServerClock;
}

/** A small preview of the projector page: the board between both teams' turnout bars. */
export function DisplayPreview(props: Props) {
  const { event, phase, now, joinUrl } = props;
  const match = phase === "lobby" ? null : event.match;
  return (
    <section class="preview" aria-label={t("Big screen preview")} data-phase={phase}>
      <TurnoutBar team={1} {...props} match={match} />
      <TurnoutBar team={2} {...props} match={match} />
      <TeamName team={1} event={event} />
      <div class="top-line">{match && <TopLine {...props} match={match} />}</div>
      <TeamName team={2} event={event} />
      <div class="stage">{match ? <PreviewBoard match={match} phase={phase} now={now} /> : <LobbyCode event={event} />}</div>
      <p class="caption">{caption(event, phase)}</p>
      {event.notice ? <p class="notice">{event.notice}</p> : <p class="join-link">{event.hidden.includes("code") ? "" : joinUrl.replace(/^https?:\/\//, "")}</p>}
    </section>
  );
}

function PreviewBoard({ match, phase, now }: { match: Match; phase: Phase; now: number }) {
  const board = boardAt(match, phase, now);
  return board.kind === "drawn" ? <DrawnBoard board={board} /> : <Grid board={board} lit={litAt(match, phase, now)} />;
}

function TeamName({ team, event }: { team: 1 | 2; event: EventState }) {
  const side = sideForTeam(event, team);
  return <p class="team" data-side={side}><Badge side={side} /><b>{event.teams[team - 1]?.name}</b></p>;
}

/** In place of the lobby's large QR code: the join code, or why there is none. */
function LobbyCode({ event }: { event: EventState }) {
  if (event.lobby === "closed") return <p class="lobby-code words">{t("Joining opens soon")}</p>;
  if (event.lobby === "locked") return <p class="lobby-code words">{t("Joining is closed")}</p>;
  return event.hidden.includes("code") ? <p class="lobby-code words">{t("The code is hidden")}</p> : <p class="lobby-code">{event.code}</p>;
}

/** The longest clock text that still fits at the largest font size: "59:59". */
export const LONG_CLOCK = 5;

/** Above the board: the clock, or during a reveal how both teams voted. */
function TopLine({ event, phase, now, clock, match }: Props & { match: Match }) {
  const until = clockEnd(event, phase);
  useNow(clock, until);
  if (phase === "reveal") return <Bars event={event} match={match} now={now} />;
  if (phase === "sealed" || phase === "paused") return <b class="word">{phase === "sealed" ? t("Sealed") : t("Paused")}</b>;
  const left = until - clock.now();
  if (left <= 0) return null;
  const shown = formatCountdown(left);
  return <b class={shown.length > LONG_CLOCK ? "word" : "figure"}>{shown}</b>;
}

/** The vote distribution over the columns. */
function Bars({ event, match, now }: { event: EventState; match: Match; now: number }) {
  const { reveal, board } = match;
  if (!reveal || event.hidden.includes("tally") || revealStep(match, now) === "sealed") return null;
  const columns = Array.from({ length: board.columns }, (_, index) => index);
  const sides = (["red", "yellow"] as const).filter((side) => reveal[side]);
  return (
    <div class="bars">
      {columns.map((column) => (
        <span key={column}>
          {sides.map((side) => <Bar key={side} side={side} votes={reveal[side]!.counts[column] ?? 0} of={mostVotes(match, reveal[side]!)} />)}
        </span>
      ))}
    </div>
  );
}

function Bar({ side, votes, of }: { side: Side; votes: number; of: number }) {
  return <i data-side={side} title={formatPercent(votes, of)} style={{ "--share": `${of ? votes / of : 0}` }} />;
}

type TurnoutBarProps = Pick<Props, "event" | "phase" | "turnout" | "now"> & { team: 1 | 2; match: Match | null };

/** A team's turnout bar, with the initiative token if its side holds it. */
function TurnoutBar({ team, event, phase, turnout, match, now }: TurnoutBarProps) {
  const side = sideForTeam(event, team);
  const { hands, choosing, here, voted, share } = teamStatus(event, team, turnout, phase);
  const hidden = event.hidden.includes("turnout");
  return (
    <div class="tide" data-side={side} data-team={team}>
      <div class="water" style={{ "--share": hidden ? "0" : share.toFixed(3) }} />
      <div class="coin">{match && tokenAt(match, phase, now) === side && <Coin />}</div>
      {!hidden && <p class="counts">{hands ? t("by show of hands") : choosing ? nParts("%(count)s voted", "%(count)s voted", voted, { count: <b>{formatNumber(voted)}</b> }) : nParts("%(count)s here", "%(count)s here", here, { count: <b>{formatNumber(here)}</b> })}</p>}
    </div>
  );
}

function caption(event: EventState, phase: Phase): string {
  const { match } = event;
  if (phase === "lobby" || !match) return seriesText(event);
  if (phase === "reveal" && match.reveal) return capital(picksText(event, match.reveal));
  if (phase === "ended") return outcomeText(event, match);
  return isTalk(event, phase) ? t("Talk it over") : match.title;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The board before the turn, until the balls have dropped. */
function boardAt(match: Match, phase: Phase, now: number): Board {
  const early = phase === "reveal" && ["sealed", "pour", "picks"].includes(revealStep(match, now));
  return early && match.reveal ? boardBefore(match.board, match.reveal.resolution) : match.board;
}

function litAt(match: Match, phase: Phase, now: number): Board["winning_cells"] {
  return phase === "ended" || (phase === "reveal" && revealStep(match, now) === "lines") ? match.board.winning_cells : [];
}

function tokenAt(match: Match, phase: Phase, now: number): Board["token"] {
  const early = phase === "reveal" && match.reveal && now < tokenMoment(match);
  return early && match.reveal ? match.reveal.resolution.token_before : match.board.token;
}
