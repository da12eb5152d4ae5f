import { landMoment } from "../live/phase";
import { nameOf } from "../board/geometry";
import type { Drawing, Mark, Match } from "../protocol";
import { statusAt } from "./board";
import { html, type Html } from "./dom";
import type { Scene } from "./parts";
import { scene } from "./scene";
import * as say from "./tongue/en";
import { called, type View } from "./view";

/** A board that its game drew, and under it a button for each that may be chosen. */
export function drawn(view: View, match: Match): Html {
  const { board } = match;
  const seen = scene(view, match);
  const drawing = shown(view, match);
  return html`<div class="board drawn" role="group" aria-label="${say.board}">
    ${drawing && html`<svg class="drawing" viewBox="0 0 ${drawing.width} ${drawing.height}" role="img" aria-label="${named(view, drawing.words)}">${drawing.marks.map(thing)}</svg>`}
    <div class="options" css="--across:${across(board.columns)}">${Array.from({ length: board.columns }, (_, index) => choice(view, match, seen, index + 1))}</div>
  </div>`;
}

const WIDEST = 5;

/** Rows of as many buttons as a thumb can tell apart, all as full as may be. */
const across = (choices: number) => Math.ceil(choices / Math.ceil(choices / WIDEST));

/** What the game drew, until its moves are shown as it was before them. */
function shown({ phase, now }: View, match: Match): Drawing | null {
  const before = phase === "reveal" && now < landMoment(match) ? match.reveal?.resolution.before : null;
  return before ?? match.board.drawing;
}

/** A game's sentence with the teams' names put in. */
export function named({ event }: Pick<View, "event">, sentence: string): string {
  return sentence.replace(/\{(red|yellow)\}/g, (_, side: "red" | "yellow") => called(event, side));
}

function thing({ name, kind, x, y, width, height, side, text, points, lit, gone }: Mark): Html {
  const size = kind === "text" ? height : Math.min(height * 0.55, (width * 1.5) / (text.length || 1));
  return html`<g class="mark" key="${name}" data-kind="${kind}" ${side && html`data-side="${side}"`} ${lit && html`data-lit="true"`} ${gone && html`data-gone="true"`} transform="translate(${x} ${y})">
    ${(kind === "card" || kind === "block") && html`<rect x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" rx="${Math.min(width, height) / 8}"/>`}
    ${kind === "path" && html`<polyline points="${points.join(" ")}" stroke-width="${width}"/>`}
    ${kind === "ball" && html`<use href="#ball-${side}" transform="scale(${width / 88})"/>`}
    ${kind === "card" && side && html`<use href="#ball-${side}" transform="translate(${width * 0.3} ${height * 0.34}) scale(${width / 360})"/>`}
    ${text && html`<text y="${size * 0.35}" font-size="${size}" text-anchor="middle">${text}</text>`}
  </g>`;
}

function choice(view: View, match: Match, seen: Scene, number: number): Html {
  const { side, hidden, hands, phase } = view;
  const status = seen.status?.(number) ?? statusAt(view, number);
  const mark = hidden ? "idle" : status;
  const open = phase === "voting" && !hands && match.turn!.legal[side].includes(number);
  const votes = seen.said?.(number);
  const name = nameOf(match.board, number);
  return html`<button type="button" class="option ${mark}${seen.kind?.(number)}" data-column="${number}"
    aria-pressed="${`${status !== "idle"}`}" aria-label="${name}${votes && `, ${votes}`}${say.statuses[status]}" ${open || html`disabled`}>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">${seen.over?.(number) ?? seen.under?.(number)}</svg>
    <b>${name}</b>${mark !== "idle" && seen.rank?.(number) ? html`<i class="rank">${seen.rank(number)}</i>` : mark === "counted" && html`<svg class="token tick" viewBox="-20 -20 40 40" aria-hidden="true"><use href="#tick"/></svg>`}
  </button>`;
}
