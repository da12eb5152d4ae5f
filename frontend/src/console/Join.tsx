import type { Admission, EventState, Role } from "../protocol";

interface Props {
  event: EventState;
  joinUrl: string;
  displayKey: string | null;
  role: Role;
}

/** How people get in, and the doors to the other pages. */
export function Join({ event, joinUrl, ...rest }: Props) {
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
      <Doors event={event} {...rest} />
    </section>
  );
}

interface Door {
  name: string;
  href: string;
  /** In a tab of its own, so that the control room stays open. */
  apart?: boolean;
}

function Doors(props: Omit<Props, "joinUrl">) {
  return (
    <nav aria-label="Other pages">
      {doorsOf(props).map(({ name, href, apart }) => (
        <a key={name} href={href} {...(apart ? { target: "_blank", rel: "noopener" } : {})}>{name}</a>
      ))}
    </nav>
  );
}

const LISTS: { [admission in Admission]?: string } = { tickets: "Tickets", roster: "Class list" };

/** The projector's key stays out of every server's log. */
function doorsOf({ event, displayKey, role }: Omit<Props, "joinUrl">): readonly Door[] {
  const room = `/console/${event.code}`;
  const record = lastOver(event);
  const list = LISTS[event.admission];
  const owns = role === "owner";
  const told = event.match?.reveal && event.match.state !== "aborted" ? event.match.number : record;
  const doors: readonly (Door | false)[] = [
    { name: "Projector", href: `/display/${event.code}${event.admission === "rotating" && displayKey ? `#${displayKey}` : ""}`, apart: true },
    owns && { name: "Poster", href: `${room}/poster.pdf`, apart: true },
    !!list && owns && { name: list, href: `${room}/tickets/` },
    told > 0 && { name: `Report of match ${told}`, href: `/report/${event.code}/${told}`, apart: true },
    record > 0 && { name: `Record of match ${record}`, href: `/record/${event.code}/${record}.json`, apart: true },
    owns && { name: "Members", href: `${room}/members/` },
    owns && { name: "Edit", href: `${room}/edit/` },
    { name: "My events", href: "/console/" },
  ];
  return doors.filter((door) => door !== false);
}

/** The number of the last match that was played to its end; 0: none was. */
function lastOver({ match, finished }: EventState): number {
  return match?.state === "ended" ? match.number : (finished[finished.length - 1]?.number ?? 0);
}
