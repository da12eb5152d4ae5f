import { teamOf } from "../live/phase";
import type { Match, Side } from "../protocol";
import { board } from "./board";
import { html, type Html } from "./dom";
import { hint, kept } from "./screens";
import { need, second } from "./second";
import { heart, sentence } from "./sentence";
import { eye, shape, token } from "./shape";
import * as say from "./tongue/en";
import type { View } from "./view";

const CALM_LAST_MS = 5000;

/** The phone of a voter with a seat: the same ground at all times, its middle changes. */
export function play(view: View, pressed: number): Html {
  const { event, team, match } = view;
  const { name } = event.teams[team - 1]!;
  const more = match?.clocks || event.notice || event.next_match_at || event.best_of || event.peek || event.consent ? need() : second();
  const next = more?.next(view);
  const below = (event.peek ? 34 : 0) + (next ? 46 : 0);
  const { columns, rows } = match?.board.rows ? match.board : { columns: 7, rows: 6 };
  return html`<main data-status="${view.ballot.status}" class="play ${!match && "calm"}" css="--columns:${columns};--rows:${rows};--tide:${Math.min(1, pressed / 20)};--below:${below}px">
    <section class="ground">
      ${clock(view, pressed)}
      ${more?.told(view)}
      <h1 class="${name.length > 18 && "long"}"><small>${say.youAre}</small> ${name}</h1>
    </section>
    <section class="panel">
      ${hint(view.connection)}
      <p class="sentence" role="status">${sentence(view)}</p>
      <p class="hidden" aria-live="polite">${more?.moves(view)}</p>
      ${match ? html`${board(view, match)}${foot(view, match)}` : !view.hands && !event.hall && html`<p class="privacy">${say.cheer}</p>`}
      ${event.peek && more?.peek}
      ${next}
      ${!match && html`<p class="privacy">${event.admission === "open" && second()?.oneDevice}${kept} ${tongues()} ${view.sign}</p>`}
    </section>
    ${more?.overlay(view)}
  </main>`;
}

/** Before a match and after it the shape is to be pressed. */
export function canCheer({ phase }: View): boolean {
  return phase === "lobby" || phase === "ended";
}

/** The shape is the clock: its outline drains as the window closes. */
function clock(view: View, pressed: number): Html {
  const { side, phase, now, match } = view;
  const until = untilOf(view);
  const left = phase === "voting" ? Math.max(0, until - now) / (match!.window_s * 1000) : 1;
  const text = heart(view);
  const last = phase === "voting" && until - now <= CALM_LAST_MS;
  const inside = html`${shape(side, left)}${text && html`<span ${until > 0 && html`role="timer" aria-label="${second()?.spoken(until - now) ?? text}"`} css="--size:${sizeOf(text)}">
    <b key="${last && text}">${text}</b>${last && html`<i class="hidden" aria-live="polite">${second()?.spoken(CALM_LAST_MS) ?? text}</i>`}
  </span>`}`;
  return canCheer(view)
    ? html`<button type="button" class="clock ${side}" data-do="cheer" aria-label="${text} ${say.cheer}">${inside}${pressed > 0 && html`<i class="ring" key="${pressed}"></i>`}</button>`
    : html`<div class="clock ${side}${last && " last"}">${inside}</div>`;
}

/** Figures are larger than words, and short words larger than long ones. */
const sizeOf = (text: string) => Math.min(text > "\u2e80" ? 0.26 : 0.42, (/\d/.test(text) ? 1.26 : 1.05) / (text.length + 1));

/** What the clock counts to; 0: it stands. */
export function untilOf({ phase, match }: View): number {
  const turn = match?.turn;
  if (!turn || turn.paused) return 0;
  return phase === "voting" ? turn.closes_at : phase === "waiting" || phase === "reveal" ? turn.opens_at : 0;
}

/** Both teams, the coin on its holder's side; in the reveal with what they picked. */
function foot(view: View, match: Match): Html {
  const middle =
    view.phase === "ended"
      ? second() && html`<button type="button" class="small" data-do="card">${second()?.card}</button>`
      : html`<button type="button" class="small" data-do="hide" aria-pressed="${`${view.hiding}`}" aria-label="${say.hide}">${eye} ${say.hideWord}</button>`;
  return html`<div class="foot">${corner(view, match, "red")}${middle}${corner(view, match, "yellow")}</div>`;
}

function corner(view: View, match: Match, side: Side): Html {
  const { picked, holds } = second()?.corner(view, match, side) ?? { picked: "", holds: match.board.token === side };
  return html`<div class="corner ${side}">
    ${token(`ball-${side}`)}<span class="${picked ? "picked" : "name"}">${picked || teamOf(view.event, side).name}</span>
    ${holds && html`${token("coin")}<span class="hidden">${say.holdsToken}</span>`}
  </div>`;
}

/** The choice of another language, behind the name of this one. */
function tongues(): Html {
  return second()?.tongues() ?? html`<button type="button" data-do="tongue">${say.own}</button>`;
}
