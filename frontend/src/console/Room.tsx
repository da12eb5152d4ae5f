import type { ServerClock } from "../live/clock";
import type { Live } from "../live/event";
import { useMoments } from "../live/now";
import { phaseMoments, phaseOf, revealMoments, tokenMoment, type Phase } from "../live/phase";
import { useStore } from "../live/store";
import type { CountsTold, EventState, Role } from "../protocol";
import { Charts } from "./Charts";
import { Controls, Pace } from "./Controls";
import { Counts } from "./Counts";
import { Crowd, Playing } from "./Crowd";
import type { Deeds } from "./deeds";
import type { Desk } from "./desk";
import { cupDoor } from "./doors";
import type { Evening } from "./evening";
import { Hall } from "./Hall";
import { Hands } from "./Hands";
import { Happened } from "./Happened";
import { Health } from "./Health";
import { Help, useKeys } from "./Help";
import { Foot, Join } from "./Join";
import { Matches } from "./Matches";
import { Now } from "./Now";
import { People } from "./People";
import { offersOf } from "./offers";
import type { Lookup } from "./lookup";
import type { Rehearsal } from "./rehearsal";
import { Parts, Say } from "./Say";

export interface Props {
  live: Live;
  event: EventState;
  joinUrl: string;
  displayKey: string | null;
  role: Role;
  counts: CountsTold | null;
  clock: ServerClock;
  desk: Desk;
  deeds: Deeds;
  evening: Evening;
  rehearsal: Rehearsal;
  people: Lookup;
}

interface Moment {
  phase: Phase;
  now: number;
  off: boolean;
  mayAct: boolean;
}

export function Room(props: Props) {
  const { live, event, clock, role, evening } = props;
  const { deeds: told } = useStore(props.deeds.store);
  const moment = useMoment(props);
  const { phase, off, mayAct } = moment;
  document.body.dataset.phase = phase;
  document.title = `${event.name} · control room`;
  return (
    <>
      {off && <p class="lost" role="alert">No connection. Trying again. What you see may be old.</p>}
      <Head {...props} {...moment} />
      <main class="desk">
        <div class="do">
          <section class="controls" aria-label="Controls">
            <Now event={event} phase={phase} turnout={live.turnout} clock={clock} />
            {mayAct ? <Acting {...props} {...moment} /> : <p class="looking">You look on as a {role}: whoever runs the event presses the buttons.</p>}
            <Counts event={event} phase={phase} counts={props.counts} />
          </section>
          {mayAct && <Saying {...props} {...moment} />}
        </div>
        <div class="side">
          <div class="see">
            <Hall event={event} phase={phase} now={moment.now} turnout={live.turnout} joinUrl={props.joinUrl} clock={clock} />
            {mayAct && <Hands event={event} phase={phase} deeds={told} desk={props.desk} off={off} />}
            <Charts event={event} phase={phase} evening={evening} clock={clock} />
            {mayAct && <People event={event} people={props.people} desk={props.desk} off={off} />}
          </div>
          <Log {...props} {...moment} />
        </div>
      </main>
      <Foot event={event} displayKey={props.displayKey} role={role} />
    </>
  );
}

function useMoment({ live, event, clock, role }: Props): Moment {
  const { match } = event;
  const now = useMoments(clock, [...phaseMoments(event), ...(match ? [...revealMoments(match), tokenMoment(match)] : [])]);
  return { now, phase: phaseOf(event, now), off: live.connection.state !== "joined", mayAct: role !== "viewer" };
}

function Head(props: Props & Moment) {
  const { event, phase, off, clock, desk, evening } = props;
  const cup = cupDoor(location.search);
  return (
    <header class="head">
      <h1>{event.name}</h1>
      {cup && <a class="back" href={cup.href}>{cup.name}</a>}
      <Health event={event} phase={phase} joined={!off} clock={clock} desk={desk} evening={evening} />
      <Playing rehearsal={props.rehearsal} />
      <Join event={event} joinUrl={props.joinUrl} displayKey={props.displayKey} role={props.role} />
    </header>
  );
}

/** Everything that whoever runs the event can press now, by hand and by key. */
function Acting({ event, phase, off, desk }: Props & Moment) {
  const offers = offersOf(event, phase);
  const help = useKeys(desk, offers, off);
  return (
    <>
      <Controls offers={offers} desk={desk} off={off} />
      <Pace event={event} desk={desk} off={off} />
      {help && <Help />}
    </>
  );
}

function Saying({ event, desk, off }: Props & Moment) {
  return (
    <div class="panel saying">
      <Say event={event} desk={desk} off={off} />
      <Parts event={event} desk={desk} off={off} />
    </div>
  );
}

function Log({ event, live, deeds, evening, rehearsal, desk, off, mayAct }: Props & Moment) {
  return (
    <div class="log">
      <Happened event={event} deeds={deeds} evening={evening} rehearsal={rehearsal} desk={desk} off={off} mayAct={mayAct} />
      {mayAct && <Crowd rehearsal={rehearsal} desk={desk} off={off} connected={live.turnout?.connected ?? [0, 0]} />}
      <Matches event={event} />
    </div>
  );
}
