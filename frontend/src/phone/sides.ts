import { sideOf } from "../live/phase";
import type { Match, Side, SideChange, SideTaken, ToPhone } from "../protocol";
import { drawBlind } from "./blind";
import type { Desk } from "./desk";
import { html, type Html } from "./dom";
import * as say from "./tongue/en";
import { called, type View } from "./view";

// Secret sides. The page keeps the colours its voter came in with, whatever the voter does: nobody beside it sees
// a change. What the side is stands on a plate, for as long as somebody looks.

const LOOK_MS = 3000;
const AGAIN_MS = 2000;

let open = false;
let noted = false;
let seenUntil = 0;
let timer = 0;
let pending: SideChange | null = null;
let redraw = () => {};

/** Where a voter of this team is in a turn of this number: by all changes, in the last. */
export function teamIn(changes: readonly SideTaken[], team: number, turn = Infinity): number {
  return changes.filter((change) => change.turn <= turn).pop()?.team ?? team;
}

export function sideNow({ event, team, changes }: Pick<View, "event" | "team" | "changes">): Side {
  return sideOf(event, teamIn(changes, team));
}

/** What the server says of this voter's changes: null where it says nothing. */
export function changesTold(message: ToPhone): { changes?: readonly SideTaken[]; sideRefused?: boolean } | null {
  if (message.type === "phone.welcomed") return { changes: message.you.changes ?? [] };
  if (message.type === "side.changed") return { changes: message.changes, sideRefused: false };
  return message.type === "side.refused" && message.code !== "busy" ? { sideRefused: true } : null;
}

/** Whether one may change over now: a turn was played, and the next window is still closed. */
export function isBetween({ phase, now }: Pick<View, "phase" | "now">, { turn }: Match): boolean {
  return !!turn && turn.number > 1 && !turn.paused && now < turn.opens_at && (phase === "reveal" || phase === "waiting");
}

export function sideButton({ match }: View): Html | false {
  return !!match?.defections && html`<button type="button" class="own-side" data-do="side">${say.mySide}</button>`;
}

/** Both answers look alike and are answered alike: what was pressed is seen by nobody who sees the page. */
export function sidesCard(view: View): Html | false {
  const { match } = view;
  if (!match?.defections) open = false;
  if (!open || !match) return false;
  const between = isBetween(view, match);
  setTimeout(show);
  return html`<dialog class="sides" aria-labelledby="sides">
    <h2 id="sides">${say.mySide}</h2>
    <button type="button" class="plate" data-do="look" aria-live="polite">${Date.now() < seenUntil ? plate(view, match) : say.look}</button>
    <p role="status">${noted ? say.noted : match.state === "playing" ? say.changeWhen : ""}</p>
    ${match.state === "playing" && html`<div class="both">${answer("remain", say.remain, between)}${answer("cross", say.changeOver, between)}</div>`}
    <button type="button" class="go quiet" data-do="close">${say.close}</button>
  </dialog>`;
}

const answer = (act: string, word: string, between: boolean) =>
  html`<button type="button" class="go" data-do="${act}" ${(between && !noted) || html`disabled`}>${word}</button>`;

function plate(view: View, match: Match): Html {
  const { event, changes, sideRefused } = view;
  const left = say.changesLeft(Math.max(0, match.defections - changes.length));
  return html`<b>${say.playsFor(called(event, sideNow(view)))}</b> ${left} ${sideRefused && say.notChanged}`;
}

/** How it ended for this voter: where one is at the end is what counts. */
export function ending(view: View, { result, turn_points }: Match): string {
  const side = sideNow(view);
  const told = result === "draw" ? say.endedDraw : result === side ? say.endedWon : say.endedLost;
  return turn_points && result !== "open" ? `${told} ${say.points(pointsOf(view))}` : told;
}

/** A point for each turn in which this voter voted with who won. */
export function pointsOf({ event, team, changes, record }: Pick<View, "event" | "team" | "changes" | "record">): number {
  const winner = event.match?.result;
  return Object.keys(record.agreed).filter((turn) => sideOf(event, teamIn(changes, team, Number(turn))) === winner).length;
}

export function sideAct(what: string, desk: Desk): void {
  if (what === "side") begin(desk);
  else if (what === "look") look(desk);
  else if (what === "cross" || what === "remain") {
    noted = true;
    if (what === "cross") cross(desk);
  }
}

function begin(desk: Desk): void {
  open = true;
  noted = false;
  seenUntil = 0;
  redraw = desk.redraw;
}

/** Once it is drawn, also after it was taken away with the page's seat. */
function show(): void {
  const dialog = document.querySelector<HTMLDialogElement>("dialog.sides:not([open])");
  if (!open || !dialog) return;
  dialog.addEventListener("close", () => ((open = false), redraw()), { once: true });
  dialog.showModal();
}

function look(desk: Desk): void {
  clearTimeout(timer);
  seenUntil = Date.now() < seenUntil ? 0 : Date.now() + LOOK_MS;
  timer = window.setTimeout(() => desk.redraw(), LOOK_MS + 50);
}

function cross(desk: Desk): void {
  const { event } = desk.seated!.store.get();
  const { changes, team } = desk.seated!.mine.get();
  const turn = event?.match?.turn;
  if (!turn || !team || changes.length >= event.match!.defections) return;
  desk.seated!.mine.set({ sideRefused: false });
  pending = { type: "side.change", turn: turn.id, number: changes.length + 1, team: 3 - teamIn(changes, team), blind: drawBlind() };
  post(desk);
}

/** Until it is answered, or could not count any more. */
function post(desk: Desk): void {
  const { event } = desk.seated!.store.get();
  const { changes, sideRefused } = desk.seated!.mine.get();
  if (!pending || changes.length >= pending.number || sideRefused || event?.match?.turn?.id !== pending.turn) return void (pending = null);
  desk.seated!.socket.send(pending);
  setTimeout(() => post(desk), AGAIN_MS);
}

