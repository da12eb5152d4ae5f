import { Badge } from "../board/Ball";
import type { ServerClock } from "../live/clock";
import { countdown, percent, thousands } from "../live/format";
import { useNow } from "../live/now";
import { sideOf, type Phase } from "../live/phase";
import type { EventState, TurnoutCounted } from "../protocol";
import { LONG } from "./Hall";
import { clockEnd, leftOf } from "./moments";
import { clockLabel, headline, seriesLine, standingOf } from "./words";

interface Props {
  event: EventState;
  phase: Phase;
  turnout: TurnoutCounted | null;
  clock: ServerClock;
}

/** The state in words, the clock, and both teams in figures. */
export function Now({ event, phase, turnout, clock }: Props) {
  return (
    <div class="now">
      <h2>{headline(event, phase)}</h2>
      <Clock event={event} phase={phase} clock={clock} />
      <p class="series">{seriesLine(event)}</p>
      <ul>
        {event.teams.map(({ number }) => <Team key={number} team={number as 1 | 2} {...{ event, phase, turnout }} />)}
      </ul>
    </div>
  );
}

function Clock({ event, phase, clock }: Omit<Props, "turnout">) {
  const until = clockEnd(event, phase);
  const left = leftOf(event, phase, until, useNow(clock, until));
  if (left <= 0) return null;
  const shown = countdown(left);
  return (
    <p class="clock" data-long={shown.length > LONG}>
      <b>{shown}</b> {clockLabel(event, phase)}
    </p>
  );
}

function Team({ team, event, phase, turnout }: Omit<Props, "clock"> & { team: 1 | 2 }) {
  const side = sideOf(event, team);
  const { hands, choosing, here, voted, share } = standingOf(event, team, turnout, phase);
  return (
    <li data-side={side} style={{ "--share": share.toFixed(3) }}>
      <Badge side={side} />
      <b class="name">{event.teams[team - 1]!.name}</b>
      {hands ? (
        <span>by show of hands</span>
      ) : (
        <>
          <span class="voted" hidden={!choosing}><b data-voted={team}>{thousands(voted)}</b> voted, {percent(voted, here)}</span>
          <span class="here"><b data-joined={team}>{thousands(here)}</b> here</span>
        </>
      )}
    </li>
  );
}
