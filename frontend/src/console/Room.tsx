import { useEffect, useState } from "preact/hooks";
import { countdown } from "../live/format";
import type { ServerClock } from "../live/clock";
import type { Live } from "../live/event";
import { useMoments, useNow } from "../live/now";
import { phaseMoments, phaseOf, revealMoments, tokenMoment, type Phase } from "../live/phase";
import { useStore } from "../live/store";
import type { CountsTold, EventState } from "../protocol";
import { Counts } from "./Counts";
import { Crowd, Playing } from "./Crowd";
import type { Desk } from "./desk";
import { Hall } from "./Hall";
import { Happened } from "./Happened";
import { Join } from "./Join";
import type { Journal } from "./journal";
import { KEYS, offerFor, onKeys } from "./keys";
import { offersOf, type Offers } from "./offers";
import { Press } from "./Press";
import type { Rehearsal } from "./rehearsal";
import { clockLabel, headline, turnoutLine } from "./words";

interface Props {
  live: Live;
  event: EventState;
  joinUrl: string;
  displayKey: string | null;
  counts: CountsTold | null;
  clock: ServerClock;
  desk: Desk;
  journal: Journal;
  rehearsal: Rehearsal;
}

export function Room({ live, event, joinUrl, displayKey, counts, clock, desk, journal, rehearsal }: Props) {
  const { match } = event;
  const now = useMoments(clock, [...phaseMoments(event), ...(match ? [...revealMoments(match), tokenMoment(match)] : [])]);
  const phase = phaseOf(event, now);
  const off = live.connection.state !== "joined";
  const offers = offersOf(event, phase);
  const help = useKeys(desk, offers, off);
  document.body.dataset.phase = phase;
  document.title = `${event.name} · control room`;
  return (
    <>
      {off && <p class="lost" role="alert">No connection. Trying again. What you see may be old.</p>}
      <header class="head">
        <h1>{event.name}</h1>
        <Playing rehearsal={rehearsal} />
        <Join event={event} joinUrl={joinUrl} displayKey={displayKey} />
      </header>
      <main class="desk">
        <Hall event={event} phase={phase} now={now} turnout={live.turnout} code={event.code} />
        <section class="controls" aria-label="Controls">
          <div class="now">
            <h2>{headline(event, phase)}</h2>
            <Clock event={event} phase={phase} clock={clock} />
            <p>{turnoutLine(event, live.turnout, phase)}</p>
          </div>
          <div class="first" data-alone={offers.beside === null}>
            <Press offer={offers.main} desk={desk} off={off} size="huge" />
            {offers.beside && <Press offer={offers.beside} desk={desk} off={off} size="tall" />}
          </div>
          <Said desk={desk} />
          <div class="rest">{offers.rest.map((offer) => <Press key={offer.action + offer.shortcut} offer={offer} desk={desk} off={off} />)}</div>
          <Counts event={event} phase={phase} counts={counts} />
        </section>
        <Happened journal={journal} desk={desk} event={event} phase={phase} />
        <Crowd rehearsal={rehearsal} desk={desk} off={off} connected={live.turnout?.connected ?? [0, 0]} />
      </main>
      {help && <Help />}
    </>
  );
}

function useKeys(desk: Desk, offers: Offers, off: boolean): boolean {
  const [help, setHelp] = useState(false);
  useEffect(() =>
    onKeys((key) => {
      if (key === "?") setHelp((shown) => !shown);
      if (key === "Escape") setHelp(false);
      const offer = off ? undefined : offerFor(key, offers);
      if (offer) desk.press(offer);
    }),
  );
  return help;
}

/** "59:59" still has room for the largest digits. */
const LONG = 5;

function Clock({ event, phase, clock }: { event: EventState; phase: Phase; clock: ServerClock }) {
  const until = clockEnd(event, phase);
  const now = useNow(clock, until);
  const left = phase === "paused" ? (event.match?.turn?.left_ms ?? 0) : until - now;
  if (left <= 0) return null;
  const shown = countdown(left);
  return (
    <p class="clock" data-long={shown.length > LONG}>
      <b>{shown}</b> {clockLabel(event, phase)}
    </p>
  );
}

function clockEnd(event: EventState, phase: Phase): number {
  const turn = event.match?.turn;
  if (phase === "voting") return turn?.closes_at ?? 0;
  if (phase === "waiting" || (phase === "reveal" && turn)) return turn?.opens_at ?? 0;
  return phase === "paused" || phase === "sealed" ? 0 : (event.next_match_at ?? 0);
}

function Said({ desk }: { desk: Desk }) {
  const { said } = useStore(desk.store);
  return <p class="said" role="status" data-trouble={said?.trouble ?? false}>{said?.text ?? ""}</p>;
}

function Help() {
  return (
    <div class="help" role="dialog" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt><kbd>{key}</kbd></dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
