import type { EventState } from "../protocol";

/** How people get in, and the doors to the other pages. */
export function Join({ event, joinUrl }: { event: EventState; joinUrl: string }) {
  const shown = joinUrl.replace(/^https?:\/\//, "");
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
        <a href={`/display/${event.code}`} target="_blank" rel="noopener">Projector</a>
        <a href={`/console/${event.code}/edit/`}>Edit</a>
        <a href="/console/">My events</a>
      </nav>
    </section>
  );
}
