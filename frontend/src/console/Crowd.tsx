import { useState } from "preact/hooks";
import { thousands } from "../live/format";
import { useStore } from "../live/store";
import type { RehearsalTold } from "../protocol";
import type { Desk } from "./desk";
import type { Offer } from "./offers";
import { Press } from "./Press";
import { figures, verdict, type Rehearsal } from "./rehearsal";

const USUAL_PHONES = 50;
const MOST_PHONES = 200;

interface Props {
  rehearsal: Rehearsal;
  desk: Desk;
  off: boolean;
  connected: readonly [number, number];
}

/** In the head of the page, as long as votes may come from nobody. */
export function Playing({ rehearsal }: { rehearsal: Rehearsal }) {
  const { told } = useStore(rehearsal.store);
  if (!told?.running) return null;
  return <a class="playing" href="#rehearsal">A simulated crowd is playing</a>;
}

/** A small simulated crowd: how many, start and stop, and how it fares. */
export function Crowd({ rehearsal, desk, off, connected }: Props) {
  const { told } = useStore(rehearsal.store);
  const running = told?.running ?? false;
  return (
    <section class="rehearsal" id="rehearsal" aria-label="Rehearsal" data-running={running}>
      <h2>{running ? "A simulated crowd is playing" : "Rehearsal"}</h2>
      {running ? <Press offer={STOP} desk={desk} off={off} /> : <Start desk={desk} off={off} people={connected[0] + connected[1]} />}
      {told ? <Fared told={told} /> : <p class="none">Simulated phones join and vote, before people come.</p>}
    </section>
  );
}

const STOP: Offer = { action: "rehearsal.stop", label: "Send the crowd home", shortcut: "", enabled: true, turn: null };

/** With people in the event it takes a second press: the crowd would vote among them. */
function startOffer(phones: number, people: number): Offer {
  const enabled = Number.isInteger(phones) && phones >= 1 && phones <= MOST_PHONES;
  const sure = people ? { sure: `${thousands(people)} here: press again` } : {};
  return { action: "rehearsal.start", label: "Let them in", shortcut: "", enabled, turn: null, phones, ...sure };
}

function Start({ desk, off, people }: { desk: Desk; off: boolean; people: number }) {
  const [phones, setPhones] = useState(USUAL_PHONES);
  const offer = startOffer(phones, people);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!off) desk.press(offer);
  };
  return (
    <form onSubmit={submit}>
      <label for="phones">Simulated phones</label>
      <input
        id="phones"
        type="number"
        inputMode="numeric"
        min={1}
        max={MOST_PHONES}
        required
        value={phones}
        onInput={(event) => setPhones(event.currentTarget.valueAsNumber)}
      />
      <Press offer={offer} desk={desk} off={off} />
    </form>
  );
}

function Fared({ told }: { told: RehearsalTold }) {
  return (
    <>
      <p class="verdict" data-trouble={told.lost > 0}>
        {told.running ? "" : "The last one: "}
        {verdict(told)}
      </p>
      <dl>
        {figures(told).map(([figure, meaning]) => (
          <div key={meaning}>
            <dt>{meaning}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
