import { landMoment } from "../../live/match/phase";
import { optionName } from "../../board/geometry";
import type { Drawing, Mark, Match } from "../../protocol";
import { statusAt } from "./board";
import { html, type Html } from "../dom";
import type { BoardLayers } from "../deferredPart";
import { boardLayers } from "./boardLayers";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";
import { shortTeamName } from "./teamNames";

/** A board drawn by its game, with a button for each choice below. */
export function drawnBoard(view: PhoneView, match: Match): Html {
  const { board } = match;
  const seen = boardLayers(view, match);
  const drawing = shownDrawing(view, match);
  return html`<div class="board drawn" role="group" aria-label="${say.board}">
    ${drawing && html`<svg class="drawing" viewBox="0 0 ${drawing.width} ${drawing.height}" role="img" aria-label="${fillTeamNames(view, drawing.words)}">${drawing.marks.map(renderMark)}</svg>`}
    <div class="options" css="--across:${columnsAcross(board.columns)}">${Array.from({ length: board.columns }, (_, index) => optionButton(view, match, seen, index + 1))}</div>
  </div>`;
}

const WIDEST = 5;

/** Buttons per row: at most WIDEST, and evenly distributed. */
const columnsAcross = (choices: number) => Math.ceil(choices / Math.ceil(choices / WIDEST));

/** The game's drawing; during a reveal the previous one until the moves are shown. */
function shownDrawing({ phase, now }: PhoneView, match: Match): Drawing | null {
  const before = phase === "reveal" && now < landMoment(match) ? match.reveal?.resolution.before : null;
  return before ?? match.board.drawing;
}

/** A game's sentence with the teams' names filled in. */
export function fillTeamNames({ event }: Pick<PhoneView, "event">, sentence: string): string {
  return sentence.replace(/\{(red|yellow)\}/g, (_, side: "red" | "yellow") => shortTeamName(event, side));
}

function renderMark({ name, kind, x, y, width, height, side, text, points, lit, gone }: Mark): Html {
  const size = kind === "text" ? height : Math.min(height * 0.55, (width * 1.5) / (text.length || 1));
  return html`<g class="mark" key="${name}" data-kind="${kind}" ${side && html`data-side="${side}"`} ${lit && html`data-lit="true"`} ${gone && html`data-gone="true"`} transform="translate(${x} ${y})">
    ${(kind === "card" || kind === "block") && html`<rect x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" rx="${Math.min(width, height) / 8}"/>`}
    ${kind === "path" && html`<polyline points="${points.join(" ")}" stroke-width="${width}"/>`}
    ${kind === "ball" && html`<use href="#ball-${side}" transform="scale(${width / 88})"/>`}
    ${kind === "card" && side && html`<use href="#ball-${side}" transform="translate(${width * 0.3} ${height * 0.34}) scale(${width / 360})"/>`}
    ${text && html`<text y="${size * 0.35}" font-size="${size}" text-anchor="middle">${text}</text>`}
  </g>`;
}

function optionButton(view: PhoneView, match: Match, seen: BoardLayers, number: number): Html {
  const { side, hidden, hands, phase } = view;
  const status = seen.status?.(number) ?? statusAt(view, number);
  const mark = hidden ? "idle" : status;
  const open = phase === "voting" && !hands && match.turn!.legal[side].includes(number);
  const votes = seen.votesLabel?.(number);
  const name = optionName(match.board, number);
  return html`<button type="button" class="option ${mark}${seen.kind?.(number)}" data-column="${number}"
    aria-pressed="${`${status !== "idle"}`}" aria-label="${name}${votes && `, ${votes}`}${say.statuses[status]}" ${open || html`disabled`}>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">${seen.over?.(number) ?? seen.under?.(number)}</svg>
    <b>${name}</b>${mark !== "idle" && seen.figure?.(number) ? html`<i class="figure">${seen.figure(number)}</i>` : mark === "counted" && html`<svg class="token tick" viewBox="-20 -20 40 40" aria-hidden="true"><use href="#tick"/></svg>`}
  </button>`;
}
