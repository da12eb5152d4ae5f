import { t } from "../../live/i18n";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatNumber } from "../../live/format";
import { useStore } from "../../live/state/useStore";
import type { EventState, Person } from "../../protocol";
import { isVoterCode, personOffers, formatVoterCode, personStatus, type PeopleSearch } from "./peopleSearch";
import "./people.css";
import { ActionButton, type CommandProps } from "../actions/ActionButton";

const TYPING_DELAY_MS = 150;
const MAX_LENGTH = 60;

interface Props extends CommandProps {
  event: EventState;
  people: PeopleSearch;
}

/** Search for participants by name or by the voter code on their phone; move, kick or ban them. */
export function People(props: Props) {
  const { query, people, total } = useStore(props.people.store);
  const shown = people ?? [];
  const open = query !== "" && shown.length === 1;
  return (
    <section class="panel people" aria-label={t("People")}>
      <SearchField people={props.people} off={props.off} />
      <ul>
        {shown.map((person) => <Row key={person.voter_code} {...props} person={person} open={open} />)}
      </ul>
      <p class="none" role="status">{people && searchHint(query, shown)}</p>
      {shown.length < total && (
        <button type="button" class="action-button" disabled={props.off} onClick={() => props.people.loadMore()}>
          {t("Show more: %(count)s left", { count: formatNumber(total - shown.length) })}
        </button>
      )}
    </section>
  );
}

/** Searches once the user stops typing (debounced). */
function SearchField({ people, off }: Pick<Props, "people" | "off">) {
  const [typed, setTyped] = useState("");
  const asked = useRef("");
  useEffect(() => {
    if (typed.trim() === asked.current) return undefined;
    const timer = setTimeout(() => people.search((asked.current = typed.trim())), TYPING_DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed, people]);
  return (
    <label>
      <b>{t("People")}</b>
      <input
        type="search"
        maxLength={MAX_LENGTH}
        placeholder={t("Name or six-letter voter code")}
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

function Row({ event, commands, off, person, open }: Props & { person: Person; open: boolean }) {
  const status = personStatus(person, event);
  return (
    <li>
      <details open={open}>
        <summary>
          <span class="person">
            {person.name && <b>{person.name} </b>}
            <samp>{formatVoterCode(person.voter_code)}</samp>
          </span>
          <span>
            {status && <small data-restricted={person.banned || !!person.moved}>{status} </small>}
            <small class="connection" data-connected={person.connected}>{person.connected ? t("connected") : t("not connected")}</small>
          </span>
        </summary>
        <div>
          {personOffers(person, event).map((offer) => <ActionButton key={offer.action + offer.team} offer={offer} commands={commands} off={off} />)}
        </div>
      </details>
    </li>
  );
}

function searchHint(query: string, shown: readonly Person[]): string {
  if (query === "") return shown.length ? "" : t("To move or remove someone, enter the voter code on their phone, behind the ✓ at the top.");
  if (shown.length) return "";
  return isVoterCode(query) ? t("No phone has this code.") : t("Nobody found by this name. Enter the six letters on their phone.");
}
