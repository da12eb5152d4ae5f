import type { Admission, EventState, Role } from "../protocol";

export interface PageLink {
  name: string;
  href: string;
  /** In a tab of its own, so that the control room stays open. */
  newTab?: boolean;
}

/** What leads from the control room elsewhere. The projector's key stays out of every server's log. */
export interface LinkContext {
  event: EventState;
  displayKey: string | null;
  role: Role;
}

/** A projector's address; `query` is how it is to be seen: `side=back`. */
export function displayUrl({ event, displayKey }: LinkContext, query = ""): string {
  const key = event.admission === "rotating" && displayKey ? `#${displayKey}` : "";
  return `/display/${event.code}${query && `?${query}`}${key}`;
}

/** Screens for other places, and whom each is for. */
export function displayLinks(context: LinkContext): readonly PageLink[] {
  const [one, two] = context.event.teams;
  const screens = [
    [`At home with ${one.name}`, "home=red"],
    [`At home with ${two.name}`, "home=yellow"],
    ["Seen from behind", "side=back"],
    ["For a stream, without a ground", "obs=1"],
    ["A stage of wood", "theme=wood"],
  ] as const;
  return screens.map(([name, query]) => ({ name, href: displayUrl(context, query), newTab: true }));
}

const CUP_CODE = /^[BCDFGHJKMNPQRSTVWXYZ2-9]{5}$/;

/** Back to the cup from which somebody came; `search` is the page's own. */
export function cupLink(search: string): PageLink | null {
  const code = new URLSearchParams(search).get("cup") ?? "";
  return CUP_CODE.test(code) ? { name: "Cup", href: `/console/cups/${code}/` } : null;
}

const LISTS: { [admission in Admission]?: string } = { tickets: "Tickets", roster: "Class list" };

export function pageLinks({ event, role }: LinkContext): readonly PageLink[] {
  const room = `/console/${event.code}`;
  const list = LISTS[event.admission];
  const owns = role === "owner";
  const links: readonly (PageLink | false)[] = [
    owns && { name: "Poster", href: `${room}/poster.pdf`, newTab: true },
    !!list && owns && { name: list, href: `${room}/tickets/` },
    owns && { name: "Members", href: `${room}/members/` },
    owns && { name: "Edit", href: `${room}/edit/` },
    { name: "My events", href: "/console/" },
  ];
  return links.filter((link) => link !== false);
}

/** A match that has something to tell. */
export interface PlayedMatch {
  number: number;
  text: string;
  report: string;
  /** Of a match that is over. */
  record: string | null;
}

/** Newest first; the one that is playing, as far as it has come. */
export function playedMatches({ code, teams, match, finished }: EventState): readonly PlayedMatch[] {
  const report = (number: number) => `/report/${code}/${number}`;
  const over = finished.map(({ number, winner, turns }) => {
    const text = `${winner ? `${teams[winner - 1]!.name} won` : "A draw"}, ${turns} turns`;
    return { number, text, report: report(number), record: `/record/${code}/${number}.json` };
  });
  const on = match?.state === "playing" && match.reveal ? [{ number: match.number, text: "is playing", report: report(match.number), record: null }] : [];
  return [...over, ...on].reverse();
}
