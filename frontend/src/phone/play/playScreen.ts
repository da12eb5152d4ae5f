import { teamForSide } from "../../live/match/phase";
import type { Match, Side } from "../../protocol";
import { board } from "./board";
import { html, type Html } from "../dom";
import { connectionHint, privacyLink, tabLink } from "../seat/joiningScreen";
import { loadDeferred, deferred } from "../deferred";
import { shapeText, sentence } from "./sentence";
import { eye, shape, token } from "./shape";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";

const CALM_LAST_MS = 5000;
/** Such a name may need a shorter form, which is in the deferred part. */
const LONG_NAME = /\S{10}|.{13}/;

/**
 * The screen of a voter with a seat. Its frame never changes, only its middle part. Elements with `aria-live` or a role
 * are live regions for screen readers.
 */
export function playScreen(view: PhoneView, pressed: number): Html {
  const { event, team, match } = view;
  const { name } = event.teams[team - 1]!;
  const more = match?.clocks || event.special_rules?.[0] || event.notice || event.next_match_at || event.peek || event.consent || event.teams.some((team) => team.is_public || team.color || LONG_NAME.test(team.name)) ? loadDeferred() : deferred();
  const below = more?.below(view);
  const { columns, rows } = match?.board.rows ? match.board : { columns: 7, rows: 6 };
  return html`<main data-status="${view.ballot.status}" class="play ${!match && "calm"}" css="--columns:${columns};--rows:${rows};--tide:${Math.min(1, pressed / 20)};--below:${below?.[0] ?? 0}px">
    <section class="ground">
      ${clock(view, pressed)}
      ${more?.groundNotices(view)}
      <h1 class="${name.length > 18 && "long"}"><small>${say.youAre}</small> <bdi>${more?.teamHeading(view) ?? name}</bdi></h1>
    </section>
    <section class="panel">
      ${connectionHint(view.connection)}
      <p class="sentence" role="status">${sentence(view)}</p>
      <p class="hidden" aria-live="polite">${more?.movesText(view)}</p>
      ${match ? html`${board(view, match)}${foot(view, match)}` : !view.hands && !event.is_duel && html`<p class="privacy">${say.cheer}</p>`}
      ${below?.[1]}
      ${!match && html`<p class="privacy">${event.admission === "open" && deferred()?.oneDevice}${tabLink(`rules/${event.game}`, say.rules)} ${privacyLink} ${localePicker()}</p>`}
    </section>
    ${more?.overlay(view)}
  </main>`;
}

/** Whether the shape can be tapped: before and after a match. */
export function canCheer({ phase }: PhoneView): boolean {
  return phase === "lobby" || phase === "ended";
}

/** The shape is the countdown: its outline drains as the window closes. */
function clock(view: PhoneView, pressed: number): Html {
  const { side, phase, now, match } = view;
  const until = countdownEnd(view);
  const left = phase === "voting" ? Math.max(0, until - now) / (match!.window_s * 1000) : 1;
  const text = shapeText(view);
  const last = phase === "voting" && until - now <= CALM_LAST_MS;
  const inside = html`${shape(side, left)}${text && html`<span ${until > 0 && html`role="timer" aria-label="${deferred()?.formatDuration(until - now) ?? text}"`} css="--size:${fontScale(text)}">
    <b key="${last && text}">${text}</b>${last && html`<i class="hidden" aria-live="polite">${deferred()?.formatDuration(CALM_LAST_MS) ?? text}</i>`}
  </span>`}`;
  return canCheer(view)
    ? html`<button type="button" class="clock ${side}" data-do="cheer" aria-label="${text} ${say.cheer}">${inside}${pressed > 0 && html`<i class="ring" key="${pressed}"></i>`}</button>`
    : html`<div class="clock ${side}${last && " last"}">${inside}</div>`;
}

/** Numbers are larger than words, and short words larger than long ones. */
const fontScale = (text: string) => Math.min(text > "\u2e80" ? 0.26 : 0.42, (/\d/.test(text) ? 1.26 : 1.05) / (text.length + 1));

/** The server time at which the countdown ends; 0 if it stands still. */
export function countdownEnd({ phase, match }: PhoneView): number {
  const turn = match?.turn;
  if (!turn || turn.paused) return 0;
  return phase === "voting" ? turn.closes_at : phase === "waiting" || phase === "reveal" ? turn.opens_at : 0;
}

/** The footer: both teams with the token on its holder's side; in the reveal with their picks. */
function foot(view: PhoneView, match: Match): Html {
  const middle =
    view.phase === "ended"
      ? deferred() && html`<button type="button" class="small" data-do="card">${deferred()?.card}</button>`
      : html`<button type="button" class="small" data-do="hide" aria-pressed="${`${view.hiding}`}" aria-label="${say.hide}">${eye} ${say.hideWord}</button>`;
  return html`<div class="foot">${corner(view, match, "red")}${middle}${corner(view, match, "yellow")}</div>`;
}

function corner(view: PhoneView, match: Match, side: Side): Html {
  const { picked, name, holds } = deferred()?.corner(view, match, side) ?? { picked: "", name: teamForSide(view.event, side).name, holds: match.board.token === side };
  return html`<div class="corner ${side}">
    ${token(`ball-${side}`)}<bdi class="${picked ? "picked" : "name"}">${picked || name}</bdi>
    ${holds && html`${token("coin")}<span class="hidden">${say.holdsToken}</span>`}
  </div>`;
}

/** The language picker, labeled with the current language. */
function localePicker(): Html {
  return deferred()?.localePicker() ?? html`<button type="button" data-do="locale">${say.languageName}</button>`;
}
