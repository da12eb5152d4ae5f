import { nParts } from "../../live/i18n";
import { Badge } from "../../board/Ball";
import type { ServerClock } from "../../live/connection/clock";
import { formatClock, formatLongTime, formatPercent, formatNumber } from "../../live/format";
import { useNow } from "../../live/state/useNow";
import { sideForTeam, type Phase } from "../../live/match/phase";
import type { EventState, TurnoutCounted } from "../../protocol";
import { clockEnd, clockLeft } from "./clockEnd";
import { clockLabel, headline, seriesText, teamStatus } from "../labels";

/** The longest clock text that still fits at the largest font size: "59:59". */
const LONG_CLOCK = 5;
/** Longer texts have three smaller lines, for team names of any length beside the clock. */
const LONG_HEADLINE = 20;
/** With two long names. */
const LONGEST_HEADLINE = 90;

interface Props {
  event: EventState;
  phase: Phase;
  turnout: TurnoutCounted | null;
  clock: ServerClock;
}

/** The event's state as text, the countdown, and both teams' turnout. */
export function EventStatus({ event, phase, turnout, clock }: Props) {
  const text = headline(event, phase);
  return (
    <div class="event-status">
      <h2 data-long={text.length > LONGEST_HEADLINE ? "very" : text.length > LONG_HEADLINE}>{text}</h2>
      <Clock event={event} phase={phase} clock={clock} />
      <p class="series">{seriesText(event)}</p>
      <ul>
        {event.teams.map(({ number }) => <Team key={number} team={number as 1 | 2} {...{ event, phase, turnout }} />)}
      </ul>
      <Reconnecting count={turnout?.figures.reconnecting ?? 0} />
    </div>
  );
}

function Reconnecting({ count }: { count: number }) {
  return count > 0 ? <p>{nParts("%(count)s reconnecting", "%(count)s reconnecting", count, { count: <b data-reconnecting>{formatNumber(count)}</b> })}</p> : null;
}

function Clock({ event, phase, clock }: Omit<Props, "turnout">) {
  const until = clockEnd(event, phase);
  const left = clockLeft(event, phase, until, useNow(clock, until));
  if (left <= 0) return null;
  const shown = formatClock(left) || formatLongTime(left);
  return (
    <p class="clock" data-long={shown.length > LONG_CLOCK}>
      <b>{shown}</b> {clockLabel(event, phase)}
    </p>
  );
}

function Team({ team, event, phase, turnout }: Omit<Props, "clock"> & { team: 1 | 2 }) {
  const side = sideForTeam(event, team);
  const { source, choosing, here, voted, share } = teamStatus(event, team, turnout, phase);
  return (
    <li data-side={side} style={{ "--share": share.toFixed(3) }}>
      <Badge side={side} />
      <b class="name">{event.teams[team - 1]!.name}</b>
      {source ? (
        <span>{source}</span>
      ) : (
        <>
          <span hidden={!choosing}>{nParts("%(count)s voted, %(percent)s", "%(count)s voted, %(percent)s", voted, { count: <b data-voted={team}>{formatNumber(voted)}</b>, percent: formatPercent(voted, here) })}</span>
          <span class="here">{nParts("%(count)s here", "%(count)s here", here, { count: <b data-joined={team}>{formatNumber(here)}</b> })}</span>
        </>
      )}
    </li>
  );
}
