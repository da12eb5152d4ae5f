import { teamForSide } from "../../live/match/phase";
import { consentCard } from "../seat/consent";
import { html, type Html } from "../dom";
import { formatPercent } from "../../live/format";
import { saveCard, type Card } from "./cardPicture";
import { discussionSheet } from "./discussion";
import { currentSide, sidesCard } from "./sides";
import { isForTwo } from "../../live/match/timeBank";
import { decidingTexts } from "./choiceAnalysis";
import { reasonText } from "./sentences";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";

let open: Card | null = null;
let shown: PhoneView | null = null;

export function matchCard(view: PhoneView): Card {
  const { event, match, record } = view;
  const side = currentSide(view);
  const { result, reveal, board } = match!;
  const agreed = Object.values(record.agreed);
  const title = result === "draw" || result === "open" ? say.cardTitle.draw : result === side ? (isForTwo(match) ? say.forTwo.won : say.cardTitle.won) : say.cardTitle.lost;
  return {
    ...{ side, title, board, event: event.name, team: teamForSide(event, side).name },
    voted: agreed.length,
    turns: reveal?.number ?? agreed.length,
    agreement: isForTwo(match) ? "" : formatPercent(agreed.filter(Boolean).length, agreed.length),
    votedForWinner: !isForTwo(match) && result === side && !!reveal && record.agreed[reveal.number] === true,
  };
}

/** The result card over the ended match, once opened. */
export function overlay(view: PhoneView): Html | false {
  return consentCard(view) || sidesCard(view) || discussionSheet(view) || endCard(view);
}

function endCard(view: PhoneView): Html | false {
  shown = view;
  if (view.phase !== "ended") open = null;
  if (!open) return false;
  const { title, team, voted, turns, agreement, votedForWinner } = open;
  const reason = reasonText(view, view.match!);
  return html`<dialog class="card" aria-labelledby="card">
    <h2 id="card">${title}</h2>
    <p>${team}</p>
    ${agreement && html`<dl><div><dt>${say.turnsVoted}</dt><dd>${voted}\u00a0/\u00a0${turns}</dd></div><div><dt>${say.agreement}</dt><dd>${agreement}</dd></div></dl>`}
    ${reason && html`<p>${reason}</p>`}
    ${decidingTexts(view).map((text) => html`<p class="deciding">${text}</p>`)}
    ${votedForWinner && html`<p class="called">✓ ${say.youCalled}</p>`}
    <button type="button" class="go" data-do="save">${say.save}</button>
    <button type="button" class="go quiet" data-do="close">${say.close}</button>
  </dialog>`;
}

/** Runs the actions of the card's buttons. */
export function runCardAction(what: string): void {
  if (what === "save" && open) void saveCard(open);
  if (what === "close") document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
  if (what !== "card" || !shown?.match) return;
  open = matchCard(shown);
  setTimeout(openCard);
}

/** Opens the dialog as soon as it is rendered. */
function openCard(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.card");
  dialog?.addEventListener("close", () => (open = null), { once: true });
  dialog?.showModal();
  dialog?.scrollTo(0, 0); // showing it has scrolled to its button
}
