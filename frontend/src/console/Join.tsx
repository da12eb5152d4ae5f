import type { Admission, EventState } from "../protocol";

interface Props {
  event: EventState;
  joinUrl: string;
  displayKey: string | null;
}

/** How people get in, and the doors to the other pages. The projector's key stays out of every server's log. */
export function Join({ event, joinUrl, displayKey }: Props) {
  const shown = joinUrl.replace(/^https?:\/\//, "");
  const record = lastOver(event);
  const byTeam = event.team_choice === "link";
  return (
    <section class="join" aria-label="Joining">
      <p class="code">{event.code}</p>
      {byTeam ? (
        event.teams.map(({ number, name }) => <a key={number} href={`${joinUrl}/${number}`}>{`${name}: ${shown}/${number}`}</a>)
      ) : (
        <a href={joinUrl}>{shown}</a>
      )}
      <nav aria-label="Other pages">
        <a href={`/display/${event.code}${event.admission === "rotating" && displayKey ? `#${displayKey}` : ""}`} target="_blank" rel="noopener">Projector</a>
        {LISTS[event.admission] && <a href={`/console/${event.code}/tickets/`}>{LISTS[event.admission]}</a>}
        {record > 0 && <a href={`/record/${event.code}/${record}.json`} target="_blank" rel="noopener">Record of match {record}</a>}
        <a href={`/console/${event.code}/edit/`}>Edit</a>
        <a href="/console/">My events</a>
      </nav>
    </section>
  );
}

const LISTS: { [admission in Admission]?: string } = { tickets: "Tickets", roster: "Class list" };

/** The number of the last match that was played to its end; 0: none was. */
function lastOver({ match, finished }: EventState): number {
  return match?.state === "ended" ? match.number : (finished[finished.length - 1]?.number ?? 0);
}
