import { teamOf } from "../live/phase";
import { consentCard } from "./consent";
import { html, type Html } from "./dom";
import { percent } from "./numbers";
import { save, type Card } from "./picture";
import { sideNow, sidesCard } from "./sides";
import * as say from "./tongue/en";
import type { View } from "./view";

let open: Card | null = null;
let shown: View | null = null;

export function cardOf(view: View): Card {
  const { event, match, record } = view;
  const side = sideNow(view);
  const { result, reveal, board } = match!;
  const agreed = Object.values(record.agreed);
  const title = result === "draw" || result === "open" ? say.cardTitle.draw : result === side ? say.cardTitle.won : say.cardTitle.lost;
  return {
    ...{ side, title, board, event: event.name, team: teamOf(event, side).name },
    voted: agreed.length,
    turns: reveal?.number ?? agreed.length,
    agreement: percent(agreed.filter(Boolean).length, agreed.length),
    called: result === side && !!reveal && record.agreed[reveal.number] === true,
  };
}

/** The card over the ended match, once it was asked for. */
export function overlay(view: View): Html | false {
  return consentCard(view) || sidesCard(view) || endCard(view);
}

function endCard(view: View): Html | false {
  shown = view;
  if (view.phase !== "ended") open = null;
  if (!open) return false;
  const { title, team, voted, turns, agreement, called } = open;
  return html`<dialog class="card" aria-labelledby="card">
    <h2 id="card">${title}</h2>
    <p>${team}</p>
    <dl><div><dt>${say.turnsVoted}</dt><dd>${voted}\u00a0/\u00a0${turns}</dd></div><div><dt>${say.agreement}</dt><dd>${agreement}</dd></div></dl>
    ${called && html`<p class="called">✓ ${say.youCalled}</p>`}
    <button type="button" class="go" data-do="save">${say.save}</button>
    <button type="button" class="go quiet" data-do="close">${say.close}</button>
  </dialog>`;
}

/** What is pressed on the card, and to have it. */
export function cardAct(what: string): void {
  if (what === "save" && open) void save(open);
  if (what === "close") document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
  if (what !== "card" || !shown?.match) return;
  open = cardOf(shown);
  setTimeout(unfold);
}

/** As soon as it is drawn. */
function unfold(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.card");
  dialog?.addEventListener("close", () => (open = null), { once: true });
  dialog?.showModal();
}
