import type { ComponentChildren } from "preact";
import { percent, thousands } from "../live/format";
import { useMoments } from "../live/now";
import { sideOf, type Phase } from "../live/phase";
import type { ServerClock } from "../live/clock";
import { useStore } from "../live/store";
import type { EventState } from "../protocol";
import "./charts.css";
import { ceilingOf, HIGH, lastOf, mostOf, steps, WIDE } from "./drawing";
import type { Evening, Memory, Revealed } from "./evening";
import { isWindow } from "./words";

const SHOWN_TURNS = 12;
const DRAWN_EVERY_MS = 5000;

interface Props {
  event: EventState;
  phase: Phase;
  evening: Evening;
  clock: ServerClock;
}

/** How the crowd does: in this window, over the evening, from turn to turn. */
export function Charts({ event, phase, evening, clock }: Props) {
  const memory = useStore(evening.store);
  const now = useMoments(clock, [clock.now() + DRAWN_EVERY_MS]);
  return (
    <section class="charts" aria-label="Charts">
      <Voting {...{ event, phase, memory, now }} />
      <Present {...{ event, memory, now }} />
      <Agreement event={event} reveals={memory.reveals} />
      <p class="legend">
        {event.teams.map(({ number, name }) => (
          <span key={number} data-side={sideOf(event, number)} data-team={number}><i /> {name}</span>
        ))}
      </p>
    </section>
  );
}

interface DrawnProps {
  event: EventState;
  memory: Memory;
  now: number;
}

function Voting({ event, phase, memory, now }: DrawnProps & { phase: Phase }) {
  const turn = event.match?.turn;
  const open = !!turn && turn.id === memory.turn && isWindow(phase);
  const drawn = open ? memory.voted : memory.votedBefore;
  const end = open ? (turn.paused ? now + turn.left_ms : Math.max(turn.closes_at, now)) : (drawn[drawn.length - 1]?.at ?? now);
  const shares = lastOf(drawn);
  const words = teamsIn(event, (team) => percent(shares[team], 1));
  return (
    <Figure title="Turnout" words={drawn.length ? words : ""} none="While a vote is open" most="100 %" ends={[open ? "this turn" : "last turn", ""]}>
      <Lines event={event} samples={drawn} from={open ? memory.began : (drawn[0]?.at ?? now)} to={end} now={Math.min(now, end)} most={1} />
    </Figure>
  );
}

function Present({ event, memory: { here }, now }: DrawnProps) {
  const most = ceilingOf(mostOf(here));
  const last = lastOf(here);
  const from = here[0]?.at ?? now;
  const words = teamsIn(event, (team) => thousands(last[team]));
  return (
    <Figure title="Phones" words={here.length ? words : ""} none="As soon as somebody is here" most={thousands(most)} ends={[clockTime(from), "now"]}>
      <Lines event={event} samples={here} from={from} to={now} now={now} most={most} />
    </Figure>
  );
}

interface LinesProps {
  event: EventState;
  samples: Memory["here"];
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
      {([0, 1] as const).map((team) => !event.teams[team]!.hands && (
        <path key={team} class="line" data-side={sideOf(event, team + 1)} data-team={team + 1} d={steps(all, team, from, to, most)} />
      ))}
    </>
  );
}

function Agreement({ event, reveals }: { event: EventState; reveals: readonly Revealed[] }) {
  const shown = reveals.slice(-SHOWN_TURNS);
  const last = shown[shown.length - 1];
  const voted = shown.some(({ agreed }) => agreed.some((share) => share !== null));
  const words = last && voted ? `${teamsIn(event, (team) => shareText(last.agreed[team]))} in turn ${last.number}` : "";
  const slot = WIDE / Math.max(6, shown.length);
  return (
    <Figure title="Agreement" words={words} none={last ? "Nobody has voted" : "After the first reveal"} most="100 %" ends={[`turn ${shown[0]?.number ?? 1}`, last && shown.length > 1 ? `${last.number}` : ""]}>
      {shown.map((turn, index) => [0, 1].map((team) => (
        <rect
          key={`${turn.at} ${team}`}
          class="share"
          data-team={team + 1}
          data-side={sideOf(event, team + 1)}
          x={index * slot + slot * (team ? 0.52 : 0.08)}
          width={slot * 0.38}
          y={HIGH * (1 - (turn.agreed[team] ?? 0))}
          height={HIGH * (turn.agreed[team] ?? 0)}
        />
      )))}
    </Figure>
  );
}

function shareText(share: number | null): string {
  return share === null ? "none" : percent(share, 1);
}

function teamsIn(event: EventState, told: (team: 0 | 1) => string): string {
  return ([0, 1] as const).flatMap((team) => (event.teams[team]!.hands ? [] : [`${event.teams[team]!.name} ${told(team)}`])).join(", ");
}

function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

interface FigureProps {
  title: string;
  /** What the drawing says; empty: nothing yet. */
  words: string;
  none: string;
  most: string;
  /** What its left and its right end are. */
  ends: readonly [string, string];
  children: ComponentChildren;
}

function Figure({ title, words, none, most, ends, children }: FigureProps) {
  return (
    <figure>
      <figcaption>{title}{words && <small aria-hidden="true">{most}</small>}</figcaption>
      {words ? (
        <>
          <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${words}`}>{children}</svg>
          <p class="ends" aria-hidden="true"><small>{ends[0]}</small><small>{ends[1]}</small></p>
        </>
      ) : (
        <p class="none">{none}</p>
      )}
    </figure>
  );
}
