import { p, t } from "../../live/i18n";
import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../../live/state/useStore";
import type { EventState, Person } from "../../protocol";
import { isVoterCode, personOffers, formatVoterCode, personStatus, type PeopleFilter, type PeopleSearch } from "./peopleSearch";
import "./people.css";
import { ActionButton, type CommandProps } from "../actions/ActionButton";

const TYPING_DELAY_MS = 150;
const MAX_LENGTH = 60;
const REFRESH_MS = 5000;
const VOTED: { [option: string]: boolean } = { true: true, false: false };

interface Props extends CommandProps {
  event: EventState;
  people: PeopleSearch;
}

/** Search for participants by name or by the voter code on their phone, or pick one; move, kick or ban them. */
export function People(props: Props) {
  const { people: search, off } = props;
  const state = useStore(search.store);
  const shown = state.people ?? [];
  const open = state.query !== "" && shown.length === 1;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || search.refresh(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [search]);
  return (
    <section class="panel people" id="people" aria-label={t("People")}>
      <SearchField people={search} off={off} />
      <Filters event={props.event} search={search} off={off} {...state} />
      <ul inert={state.outdated} aria-busy={state.outdated}>
        {shown.map((person) => <Row key={person.voter_code} {...props} person={person} open={open} />)}
      </ul>
      <p class="none" role="status">{state.people && !shown.length && !state.more && emptyHint(state)}</p>
      {state.more && (
        <button type="button" class="action-button" disabled={off} onClick={() => search.loadMore()}>
          {shown.length ? t("Show more") : t("Search more phones")}
        </button>
      )}
    </section>
  );
}

/** The team, and during a turn whether people have voted. Nobody sees what they voted for. */
function Filters({ event, search, off, team, voted }: Pick<Props, "event" | "off"> & PeopleFilter & { search: PeopleSearch }) {
  return (
    <div class="filters">
      <select aria-label={t("Team")} disabled={off} value={team ?? ""} onChange={({ currentTarget }) => search.search({ team: Number(currentTarget.value) || null })}>
        <option value="">{t("Both teams")}</option>
        {event.teams.map(({ number, name }) => <option key={number} value={number}>{name}</option>)}
      </select>
      {(event.match?.turn || voted !== null) && (
        <select aria-label={t("Vote")} disabled={off} value={String(voted)} onChange={({ currentTarget }) => search.search({ voted: VOTED[currentTarget.value] ?? null })}>
          <option value="null">{t("Everyone")}</option>
          <option value="true">{p("people", "Voted")}</option>
          <option value="false">{p("people", "Not voted yet")}</option>
        </select>
      )}
    </div>
  );
}

/** Searches once the user stops typing (debounced). */
function SearchField({ people, off }: Pick<Props, "people" | "off">) {
  const [typed, setTyped] = useState("");
  const asked = useRef("");
  useEffect(() => {
    if (typed.trim() === asked.current) return undefined;
    const timer = setTimeout(() => people.search({ query: (asked.current = typed.trim()) }), TYPING_DELAY_MS);
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
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          people.type(currentTarget.value.trim());
        }}
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
            {person.name && <><b>{person.name}</b> </>}
            {person.nickname && <><bdi>{person.nickname}</bdi> </>}
            <samp>{formatVoterCode(person.voter_code)}</samp>
          </span>
          <span>
            {person.nickname_status === "waiting" && <small data-restricted={true}>{t("Nickname to allow")} </small>}
            {person.nickname_status === "removed" && <small data-restricted={true}>{t("Nickname removed")} </small>}
            {status && <small data-restricted={person.banned || person.removed || !!person.moved}>{status} </small>}
            {person.voted !== null && <small>{person.voted ? p("people", "Voted") : p("people", "Not voted yet")} </small>}
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

function emptyHint({ query, team, voted }: PeopleFilter): string {
  if (query === "") return team || voted !== null ? t("Nobody matches.") : t("No phone is connected.");
  return isVoterCode(query) ? t("No phone has this code.") : t("Nobody found by this name. Ask for the code: it is behind the badge in the corner of their phone.");
}
