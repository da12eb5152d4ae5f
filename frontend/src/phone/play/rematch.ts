import { html, type Html } from "../dom";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";

/** In a duel: the player's rating change, and the rematch button. */
export function ratingAndRematch(view: PhoneView): Html | false {
  const { phase, event } = view;
  if (phase !== "ended") return false;
  const ratingLine = rating(view);
  return (!!ratingLine || event.rematch_wanted_by !== null) && html`${ratingLine}${event.rematch_wanted_by !== null && rematchButton(view, event.rematch_wanted_by)}`;
}

function rating({ match, side }: PhoneView): Html | false {
  const rated = match?.rated;
  if (!rated) return false;
  const [before, after] = side === "red" ? [rated.red_before, rated.red_after] : [rated.yellow_before, rated.yellow_after];
  const change = `${after < before ? "−" : "+"}${Math.abs(after - before)}`;
  return html`<span class="rating">${say.rating} <bdi dir="ltr">${after} (${change})</bdi></span>`;
}

/** After one player has asked for a rematch, the button waits for the other. */
function rematchButton({ team }: PhoneView, asked: number): Html {
  if (asked === team) return html`<span role="status">${say.rematchAsked}</span>`;
  return html`<span role="status"><button type="button" class="small rematch" data-do="rematch" data-asked="${`${asked > 0}`}">${asked ? say.rematchAccept : say.rematch}</button></span>`;
}
