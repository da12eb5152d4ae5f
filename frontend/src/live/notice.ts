import type { EventState } from "../protocol";

/** The organizer's message to all, or an empty string once its time is up. Gateways of the previous version send no time. */
export function shownNotice({ notice, notice_until }: EventState, now: number): string {
  return notice_until && now >= notice_until ? "" : notice;
}
