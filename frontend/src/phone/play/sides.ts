import { sideForTeam } from "../../live/match/phase";
import type { Match, Side, SideChangeAsk, AcceptedSideChange, ToPhone } from "../../protocol";
import { drawBlind } from "../ballot/blind";
import type { PhoneScreen } from "../phoneScreen";
import { html, type Html } from "../dom";
import * as say from "../texts";
import type { PhoneView } from "../seat/phoneView";
import { shortTeamName } from "./teamNames";

// Secret sides. The page keeps the colors of the voter's first side, so that people nearby notice no change.
// The current side is shown on a plate, only while the voter looks at it.

const LOOK_MS = 3000;
const RESEND_MS = 2000;

let open = false;
let answered = false;
let seenUntil = 0;
let timer = 0;
let pending: SideChangeAsk | null = null;
let redraw = () => {};

/** The team of a voter in a turn: after all side changes up to its number, or by default after all of them. */
export function teamInTurn(sideChanges: readonly AcceptedSideChange[], team: number, turn = Infinity): number {
  return sideChanges.filter((change) => change.turn <= turn).pop()?.team ?? team;
}

export function currentSide({ event, team, sideChanges }: Pick<PhoneView, "event" | "team" | "sideChanges">): Side {
  return sideForTeam(event, teamInTurn(sideChanges, team));
}

/** The voter's side changes reported by a message, or null if it reports none. */
export function sideChangeUpdate(message: ToPhone): { sideChanges?: readonly AcceptedSideChange[]; sideRefused?: boolean } | null {
  if (message.type === "phone.welcomed") return { sideChanges: message.you.side_changes ?? [] };
  if (message.type === "side.changed") return { sideChanges: message.side_changes, sideRefused: false };
  return message.type === "side.refused" && message.code !== "busy" ? { sideRefused: true } : null;
}

/** Whether side changes are possible: a turn was played and the next window is still closed. */
export function isBetweenTurns({ phase, now }: Pick<PhoneView, "phase" | "now">, { turn }: Match): boolean {
  return !!turn && turn.number > 1 && !turn.paused && now < turn.opens_at && (phase === "reveal" || phase === "waiting");
}

export function sideButton({ match }: PhoneView): Html | false {
  return !!match?.max_side_changes && html`<button type="button" class="side-button" data-do="side">${say.mySide}</button>`;
}

/** Both answers look alike and get the same confirmation, so that onlookers can't tell which was tapped. */
export function sidesCard(view: PhoneView): Html | false {
  const { match } = view;
  if (!match?.max_side_changes) open = false;
  if (!open || !match) return false;
  const between = isBetweenTurns(view, match);
  setTimeout(show);
  return html`<dialog class="sides" aria-labelledby="sides">
    <h2 id="sides">${say.mySide}</h2>
    <button type="button" class="plate" data-do="look" aria-live="polite">${performance.now() < seenUntil ? sidePlate(view, match) : say.look}</button>
    <p role="status">${answered ? say.noted : match.state === "playing" ? say.changeWhen : ""}</p>
    ${match.state === "playing" && html`<div class="both">${answer("remain", say.remain, between)}${answer("cross", say.changeOver, between)}</div>`}
    <button type="button" class="go quiet" data-do="close">${say.close}</button>
  </dialog>`;
}

const answer = (action: string, word: string, between: boolean) =>
  html`<button type="button" class="go" data-do="${action}" ${(between && !answered) || html`disabled`}>${word}</button>`;

function sidePlate(view: PhoneView, match: Match): Html {
  const { event, sideChanges, sideRefused } = view;
  const left = say.sideChangesLeft(Math.max(0, match.max_side_changes - sideChanges.length));
  return html`<b>${say.playsFor(shortTeamName(event, currentSide(view)))}</b> ${left} ${sideRefused && say.notChanged}`;
}

/** The result for this voter, decided by the side at the end. */
export function endText(view: PhoneView, { result, turn_points }: Match): string {
  const side = currentSide(view);
  const outcome = result === "draw" ? say.endedDraw : result === side ? say.endedWon : say.endedLost;
  return turn_points && result !== "open" ? `${outcome} ${say.points(turnPoints(view))}` : outcome;
}

/** One point for each turn in which this voter agreed with the pick of its side at that time, if that side won. */
export function turnPoints({ event, team, sideChanges, record }: Pick<PhoneView, "event" | "team" | "sideChanges" | "record">): number {
  const winner = event.match?.result;
  return Object.keys(record.agreed).filter((turn) => sideForTeam(event, teamInTurn(sideChanges, team, Number(turn))) === winner).length;
}

export function runSideAction(what: string, screen: PhoneScreen): void {
  if (what === "side") begin(screen);
  else if (what === "look") showSide(screen);
  else if (what === "cross" || what === "remain") {
    answered = true;
    if (what === "cross") changeSide(screen);
  }
}

function begin(screen: PhoneScreen): void {
  open = true;
  answered = false;
  seenUntil = 0;
  redraw = screen.redraw;
}

/** Opens the dialog once it is rendered, also after the page was rendered without a seat. */
function show(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.sides:not([open])");
  if (!open || !dialog) return;
  dialog.addEventListener("close", () => ((open = false), redraw()), { once: true });
  dialog.showModal();
}

function showSide(screen: PhoneScreen): void {
  clearTimeout(timer);
  seenUntil = performance.now() < seenUntil ? 0 : performance.now() + LOOK_MS;
  timer = window.setTimeout(() => screen.redraw(), LOOK_MS + 50);
}

function changeSide(screen: PhoneScreen): void {
  const { event } = screen.seated!.store.get();
  const { sideChanges, team } = screen.seated!.voter.get();
  const turn = event?.match?.turn;
  if (!turn || !team || sideChanges.length >= event.match!.max_side_changes) return;
  screen.seated!.voter.set({ sideRefused: false });
  pending = { type: "side.change", turn: turn.id, number: sideChanges.length + 1, team: 3 - teamInTurn(sideChanges, team), blind: drawBlind() };
  post(screen);
}

/** Sends the change again until it is answered or too late to count. */
function post(screen: PhoneScreen): void {
  const { event } = screen.seated!.store.get();
  const { sideChanges, sideRefused } = screen.seated!.voter.get();
  if (!pending || sideChanges.length >= pending.number || sideRefused || event?.match?.turn?.id !== pending.turn) return void (pending = null);
  screen.seated!.socket.send(pending);
  setTimeout(() => post(screen), RESEND_MS);
}

