import type { EventState } from "../protocol";
import { NUMBER_LOCALE, t } from "./i18n";
import { shownNotice } from "./notice";

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The organizer's message, or else the planned start or end of the event: for the big screen. */
export const announcedText = (event: EventState, now: number): string => shownNotice(event, now) || scheduleText(event, now);

/** The start of the first match, that of another until an hour before it, and the end from a day before it. */
function scheduleText(event: EventState, now: number): string {
  const { next_match_at, match } = event;
  if (isOver(event, now)) return t("The event is over.");
  if (next_match_at && next_match_at - now > (match ? HOUR_MS : 0)) return t("The next match starts on %(time)s.", { time: formatMoment(next_match_at, "long") });
  return endsSoon(event, now) ? t("The event ends on %(time)s. A match still live then has no result.", { time: formatMoment(event.ends_at!, "long") }) : "";
}

/** The end of the event, for phones. */
export function endText(event: EventState, now: number): string {
  if (isOver(event, now)) return t("The event is over.");
  return endsSoon(event, now) ? t("Ends: %(time)s", { time: formatMoment(event.ends_at!, "short") }) : "";
}

const isOver = ({ ends_at, match }: EventState, now: number) => !!ends_at && now >= ends_at && match?.state !== "playing";

const endsSoon = ({ ends_at }: EventState, now: number) => !!ends_at && now < ends_at && ends_at - now <= DAY_MS;

/** Weekday, date and time, in the reader's time zone. */
export function formatMoment(at: number, style: "long" | "short", timeZone?: string): string {
  return new Intl.DateTimeFormat(NUMBER_LOCALE, { weekday: style, day: "numeric", month: style, hour: "numeric", minute: "2-digit", timeZone }).format(at);
}
