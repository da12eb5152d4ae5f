import { NUMBER_LOCALE, p, t } from "../../live/i18n";
import type { ComponentChildren } from "preact";
import { formatPercent, formatNumber } from "../../live/format";
import { useMoments } from "../../live/state/useNow";
import { sideForTeam, type Phase } from "../../live/match/phase";
import type { ServerClock } from "../../live/connection/clock";
import { useStore } from "../../live/state/useStore";
import { hasPhones } from "../../live/match/ballotSource";
import type { EventState } from "../../protocol";
import "./charts.css";
import { niceCeiling, CHART_HEIGHT, latestValues, maxSample, stepPath, CHART_WIDTH } from "./chartPaths";
import type { EventHistory, HistoryState, RevealedTurn } from "./eventHistory";
import { formatSeconds, formatSpan, isWindowPhase, joinList } from "../labels";

const SHOWN_TURNS = 12;
const LEAST_SLOTS = 6;
const REDRAW_EVERY_MS = 5000;

interface Props {
  event: EventState;
  phase: Phase;
  history: EventHistory;
  clock: ServerClock;
}

/** Charts of participation: in this window, over the event, and turn by turn. */
export function Charts({ event, phase, history, clock }: Props) {
  const memory = useStore(history.store);
  const now = useMoments(clock, [clock.now() + REDRAW_EVERY_MS]);
  return (
    <section class="charts" aria-label={t("Charts")}>
      <TurnoutChart {...{ event, phase, memory, now }} />
      <PhonesChart {...{ event, memory, now }} />
      <AgreementChart event={event} reveals={memory.reveals} />
      <p class="legend">
        {event.teams.map(({ number, name }) => (
          <span key={number} data-side={sideForTeam(event, number)} data-team={number}><i /> {name}</span>
        ))}
      </p>
    </section>
  );
}

interface ChartProps {
  event: EventState;
  memory: HistoryState;
  now: number;
}

function TurnoutChart({ event, phase, memory, now }: ChartProps & { phase: Phase }) {
  const turn = event.match?.turn;
  const open = !!turn && turn.id === memory.turn && isWindowPhase(phase);
  const drawn = open ? memory.voted : memory.votedBefore;
  const end = open ? (turn.paused ? now + turn.left_ms : Math.max(turn.closes_at, now)) : (drawn[drawn.length - 1]?.at ?? now);
  const from = open ? memory.began : (drawn[0]?.at ?? now);
  const shares = latestValues(drawn);
  const words = describeTeams(event, (team) => formatPercent(shares[team], 1));
  return (
    <Chart title={t("Turnout")} scale={t("share of phones")} words={drawn.length ? words : ""} none={t("Shown while a vote is open")} least={formatPercent(0, 1)} most={formatPercent(1, 1)} ends={[formatSeconds(0), drawn.length ? formatSpan(Math.round((end - from) / 1000)) : ""]} axis={open ? t("this turn") : t("last turn")}>
      <Lines event={event} samples={drawn} from={from} to={end} now={Math.min(now, end)} most={1} />
    </Chart>
  );
}

function PhonesChart({ event, memory: { here }, now }: ChartProps) {
  const most = niceCeiling(maxSample(here));
  const last = latestValues(here);
  const from = here[0]?.at ?? now;
  const words = describeTeams(event, (team) => formatNumber(last[team]));
  return (
    <Chart title={t("Phones")} scale={t("connected")} words={here.length ? words : ""} none={t("Nobody has joined yet")} least="0" most={formatNumber(most)} ends={[timeOfDay(from), t("now")]} axis={t("time")}>
      <Lines event={event} samples={here} from={from} to={now} now={now} most={most} />
    </Chart>
  );
}

interface LinesProps {
  event: EventState;
  samples: HistoryState["here"];
  from: number;
  to: number;
  now: number;
  most: number;
}

function Lines({ event, samples, from, to, now, most }: LinesProps) {
  const last = samples[samples.length - 1];
  const all = last ? [...samples, { ...last, at: Math.max(now, last.at) }] : samples;
  return (
    <>
      {([0, 1] as const).map((team) => hasPhones(event.teams[team]!) && (
        <path key={team} class="line" data-side={sideForTeam(event, team + 1)} data-team={team + 1} d={stepPath(all, team, from, to, most)} />
      ))}
    </>
  );
}

function AgreementChart({ event, reveals }: { event: EventState; reveals: readonly RevealedTurn[] }) {
  const shown = reveals.slice(-SHOWN_TURNS);
  const last = shown[shown.length - 1];
  const voted = shown.some(({ agreed }) => agreed.some((share) => share !== null));
  const words = last && voted ? t("%(teams)s in turn %(turn)s", { teams: describeTeams(event, (team) => shareText(last.agreed[team])), turn: last.number }) : "";
  const slot = CHART_WIDTH / Math.max(LEAST_SLOTS, shown.length);
  return (
    <Chart title={t("Agreement")} scale={t("share of votes")} words={words} none={last ? t("Nobody has voted") : t("Shown after the first reveal")} least={formatPercent(0, 1)} most={formatPercent(1, 1)} ends={shown.length < LEAST_SLOTS ? [shown.map(({ number }) => number).join(" "), ""] : [`${shown[0]!.number}`, `${last!.number}`]} axis={t("turn")}>
      {shown.map((turn, index) => [0, 1].map((team) => (
        <rect
          key={`${turn.at} ${team}`}
          class="share"
          data-team={team + 1}
          data-side={sideForTeam(event, team + 1)}
          x={index * slot + slot * (team ? 0.52 : 0.08)}
          width={slot * 0.38}
          y={CHART_HEIGHT * (1 - (turn.agreed[team] ?? 0))}
          height={CHART_HEIGHT * (turn.agreed[team] ?? 0)}
        />
      )))}
    </Chart>
  );
}

function shareText(share: number | null): string {
  return share === null ? p("share of votes", "none") : formatPercent(share, 1);
}

function describeTeams(event: EventState, describe: (team: 0 | 1) => string): string {
  const teams = ([0, 1] as const).filter((team) => hasPhones(event.teams[team]!));
  return joinList(teams.map((team) => t("%(name)s: %(value)s", { name: event.teams[team]!.name, value: describe(team) })));
}

function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString(NUMBER_LOCALE, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

interface ChartFrameProps {
  title: string;
  /** The text alternative; empty if there is no data yet. */
  words: string;
  none: string;
  /** The vertical axis: its name, and the labels of its ends. */
  scale: string;
  least: string;
  most: string;
  /** The horizontal axis: its name, and the labels of its ends. */
  axis: string;
  ends: readonly [string, string];
  children: ComponentChildren;
}

function Chart({ title, words, none, scale, least, most, axis, ends, children }: ChartFrameProps) {
  return (
    <figure>
      <figcaption>{title} {words && <small aria-hidden="true">{scale}</small>}</figcaption>
      {words ? (
        <>
          <p class="scale" aria-hidden="true"><small>{most}</small><small>{least}</small></p>
          <svg viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={t("%(title)s: %(words)s", { title, words })}>{children}</svg>
          <p class="ends" aria-hidden="true"><small>{ends[0]}</small><small>{axis}</small><small>{ends[1]}</small></p>
        </>
      ) : (
        <p class="none">{none}</p>
      )}
    </figure>
  );
}
