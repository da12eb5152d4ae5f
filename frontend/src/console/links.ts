import { n, p, t } from "../live/i18n";
import { endReasonText } from "../live/match/endReason";
import type { Phase } from "../live/match/phase";
import { currentSeries } from "../live/match/series";
import { withReason } from "./labels";
import type { Admission, EventState, Role } from "../protocol";

export interface PageLink {
  name: string;
  href: string;
  /** Opens in a new tab, so that the console stays open. */
  newTab?: boolean;
}

/** The data that links need. The projector's key goes into the fragment, so that no server logs it. */
export interface LinkContext {
  event: EventState;
  displayKey: string | null;
  role: Role;
}

/** A projector's address. `query` selects a view, such as `side=back`. A display with the key isn't displaced by those without it. */
export function displayUrl({ event, displayKey }: LinkContext, query: string): string {
  return `/display/${event.code}${query && `?${query}`}${keyFragment(displayKey)}`;
}

/** The address of the big screen: for an organizer who came from a cup, the cup's. `search` is this page's query string. */
export function stageUrl({ event, displayKey }: LinkContext, search: string): string {
  const cup = displayKey && cupLink(search);
  return cup ? `${cup.href}stage/` : `/stage/${event.code}${keyFragment(displayKey)}`;
}

const keyFragment = (key: string | null) => (key ? `#${key}` : "");

/** The big screen as a miniature, silent and without controls. */
export function previewUrl(context: LinkContext): string {
  return displayUrl(context, "preview=1");
}

/** Projector pages for other screens, and the audience of each. */
export function displayLinks(context: LinkContext): readonly PageLink[] {
  const [one, two] = context.event.teams;
  const screens = [
    [t("Screen for %(name)s", { name: one.name }), "home=red"],
    [t("Screen for %(name)s", { name: two.name }), "home=yellow"],
    [t("Mirrored, seen from behind"), "side=back"],
    [t("Transparent, for streaming"), "obs=1"],
    [t("Wooden balls"), "theme=wood"],
  ] as const;
  return screens.map(([name, query]) => ({ name, href: displayUrl(context, query), newTab: true }));
}

export interface EmbedCode {
  name: string;
  html: string;
}

/** The HTML for other sites, if any may embed the event. `joinUrl` is the event's absolute link. */
export function embedCodes({ code, embed_sites }: EventState, joinUrl: string): readonly EmbedCode[] {
  if (!embed_sites) return [];
  const frame = (path: string, width: number, height: number) =>
    `<iframe src="${new URL(path, joinUrl).href}" title="Crowdgame ${code}" width="${width}" height="${height}" style="border:0" allow="autoplay; fullscreen; screen-wake-lock"></iframe>`;
  return [
    { name: t("Embed the big screen"), html: frame(`/embed/${code}`, 960, 540) },
    { name: t("Embed the phone page"), html: frame(`/embed/${code}/phone`, 400, 800) },
  ];
}

const CUP_CODE = /^[BCDFGHJKMNPQRSTVWXYZ2-9]{5,16}$/;

/** The link back to the cup from which the user came. `search` is this page's query string. */
export function cupLink(search: string): PageLink | null {
  const code = new URLSearchParams(search).get("cup") ?? "";
  return CUP_CODE.test(code) ? { name: t("Cup"), href: `/console/cups/${code}/` } : null;
}

/** The way on once the pairing of a cup is decided: back to the cup, where the next one starts. */
export function nextPairing(event: EventState, phase: Phase, search: string): PageLink | null {
  const cup = cupLink(search);
  const last = event.finished[event.finished.length - 1];
  const decided = event.best_of === null ? !!last?.winner : currentSeries(event).decided;
  return cup && phase === "ended" && decided ? { ...cup, name: p("button", "Continue the cup") } : null;
}

const LISTS: { [admission in Admission]?: string } = { tickets: t("Tickets"), roster: t("Class list") };

export function pageLinks({ event, role }: LinkContext): readonly PageLink[] {
  const base = `/console/${event.code}`;
  const list = LISTS[event.admission];
  const owns = role === "owner";
  const links: readonly (PageLink | false)[] = [
    owns && { name: t("Poster"), href: `${base}/poster.pdf`, newTab: true },
    owns && { name: t("Cards for play without phones"), href: "/rules/cards.pdf", newTab: true },
    !!list && owns && { name: list, href: `${base}/tickets/` },
    role !== "viewer" && { name: t("Team discussion"), href: `${base}/discussion/` },
    owns && { name: t("Members"), href: `${base}/members/` },
    owns && { name: p("button", "Edit"), href: `${base}/edit/` },
  ];
  return links.filter((link) => link !== false);
}

/** A match with at least one turn to report. */
export interface PlayedMatch {
  number: number;
  text: string;
  report: string;
  /** Only for a match that is over. */
  record: string | null;
}

/** The matches with anything to report, newest first, including the one in progress. */
export function playedMatches({ code, teams, match, finished }: EventState): readonly PlayedMatch[] {
  const report = (number: number) => `/report/${code}/${number}`;
  const over = finished.map(({ number, winner, turns, end_reason }) => {
    const outcome = winner
      ? n("%(name)s won, %(count)s turn", "%(name)s won, %(count)s turns", turns, { name: teams[winner - 1]!.name })
      : n("Draw, %(count)s turn", "Draw, %(count)s turns", turns);
    const text = withReason(outcome, endReasonText(end_reason, winner ? teams[winner - 1]!.name : "", winner ? teams[2 - winner]!.name : ""));
    return { number, text, report: report(number), record: `/record/${code}/${number}.json` };
  });
  const on = match?.state === "playing" && match.reveal ? [{ number: match.number, text: t("Live"), report: report(match.number), record: null }] : [];
  return [...over, ...on].reverse();
}
