import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../live/store";
import type { EventState, Person } from "../protocol";
import type { Desk } from "./desk";
import { isSign, personOffers, signShown, standingOfPerson, type Lookup } from "./lookup";
import "./people.css";
import { Press } from "./Press";

const TYPED_APART_MS = 150;
const MOST_LETTERS = 60;

interface Props {
  event: EventState;
  people: Lookup;
  desk: Desk;
  off: boolean;
}

/** Somebody in the hall, found by name or by the sign on their phone: moved, sent out, kept out. */
export function People(props: Props) {
  const { query, people, total } = useStore(props.people.store);
  const shown = people ?? [];
  const open = query !== "" && shown.length === 1;
  return (
    <section class="panel people" aria-label="People">
      <Search people={props.people} off={props.off} />
      <ul>
        {shown.map((person) => <Row key={person.sign} {...props} person={person} open={open} />)}
      </ul>
      <p class="none" role="status">{people && noteOf(query, shown)}</p>
      {shown.length < total && (
        <button type="button" class="press small" disabled={props.off} onClick={() => props.people.more()}>
          {`Show more: ${total - shown.length} left`}
        </button>
      )}
    </section>
  );
}

/** Asks for what was typed, once the fingers rest. */
function Search({ people, off }: Pick<Props, "people" | "off">) {
  const [typed, setTyped] = useState("");
  const asked = useRef("");
  useEffect(() => {
    if (typed.trim() === asked.current) return undefined;
    const timer = setTimeout(() => people.look((asked.current = typed.trim())), TYPED_APART_MS);
    return () => clearTimeout(timer);
  }, [typed, people]);
  return (
    <label>
      <b>People</b>
      <input
        type="search"
        maxLength={MOST_LETTERS}
        placeholder="A name, or the six letters on a phone"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
        disabled={off}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </label>
  );
}

function Row({ event, desk, off, person, open }: Props & { person: Person; open: boolean }) {
  const standing = standingOfPerson(person, event);
  return (
    <li>
      <details open={open}>
        <summary>
          <span>
            {person.name && <b>{person.name} </b>}
            <samp>{signShown(person.sign)}</samp>
          </span>
          {standing && <small data-ruled={person.banned || !!person.moved}>{standing}</small>}
        </summary>
        <div>
          {personOffers(person, event).map((offer) => <Press key={offer.action + offer.team} offer={offer} desk={desk} off={off} />)}
        </div>
      </details>
    </li>
  );
}

function noteOf(query: string, shown: readonly Person[]): string {
  if (query === "") return shown.length ? "" : "Whoever disturbs or sits in the wrong team: their letters stand on their phone, behind the team’s name.";
  if (shown.length === 0) return "Nobody of this name is on a list. Type the six letters on the phone.";
  return isSign(query) && !shown[0]!.name ? "No list knows these letters: a press holds if somebody here has them. Compare them with the phone." : "";
}
