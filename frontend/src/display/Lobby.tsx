import { Badge } from "../board/Ball";
import type { EventState, KeyShown } from "../protocol";
import { Address, hostOf } from "./Deck";
import { seriesOf, winsNeeded } from "../live/series";
import { Key } from "./Key";
import { fittedName } from "./layout";
import { PLACES, isHidden, sideAt, teamOf, type Place } from "./sides";
import type { View } from "./view";
import { needed } from "./words";

const NAME = 84;
/** Modules around the symbol: enough for a light card in the night; where a long notice needs the room, fewer. */
const QUIET = { usual: 3, least: 2 };
const SYMBOL = 652;

/** Everyone's way in: the symbol, the address, the code, and who is there. */
export function Lobby({ view, qr, shown }: { view: View; qr: readonly string[]; shown: KeyShown | null }) {
  if (view.scene.phase !== "lobby") return null;
  const open = view.state.lobby === "open";
  return (
    <div class="lobby">
      {PLACES.map((place) => <Company key={place} view={view} place={place} width={besideCard(view, qr)} />)}
      {open && (view.state.hall || !isHidden(view.state, "code")) ? <QrCard qr={qr} quiet={quietOf(view)} /> : <Doors view={view} />}
      <Invitation view={view} />
      <div class="way-in" style={{ "--code": `calc(${codeSize(view, shown)} * var(--u))` }}>
        {view.state.lobby === "locked" ? <p>The match begins soon</p> : <WayIn view={view} shown={shown} />}
      </div>
    </div>
  );
}

/** Whoever is in has something to do until it begins, and sees that it works. */
function Invitation({ view: { state, turnout, foot } }: { view: View }) {
  const here = turnout ? turnout.connected[0] + turnout.connected[1] : 0;
  if (foot.lines > 0 || here === 0 || state.lobby === "closed" || state.hall) return null;
  return <p class="invitation">You are in? Press your shape!</p>;
}

function WayIn({ view, shown }: { view: View; shown: KeyShown | null }) {
  if (isHidden(view.state, "code") && !view.state.hall) return <p>The host tells you how to join</p>;
  const ticket = ticketOf(view.state);
  return (
    <>
      <Address url={view.joinUrl} code={view.state.code} />
      <Key view={view} shown={shown} />
      {ticket && view.state.admission !== "rotating" && <p class="needed">{ticket}</p>}
    </>
  );
}

/** In the hall the address leads to the seat. */
const ticketOf = ({ hall, admission }: EventState) => (hall ? "" : needed(admission));

const CODE = { largest: 166, least: 72, above: 106, besideNotice: 104 };
const BESIDE = { peek: 440, key: 130 };

/** How large the code stands in the foot: address, code and key share its width, or its height with a sentence. */
function codeSize({ state, joinUrl, size, foot }: View, shown: KeyShown | null): number {
  if (ticketOf(state) && !shown) return CODE.above;
  const text = hostOf(joinUrl).length / 2 + state.code.length * 1.12 + (shown?.key.length ?? 0) * 1.2;
  const room = size.width - 92 - (state.peek ? BESIDE.peek : 0) - (shown ? BESIDE.key : 0);
  return Math.max(CODE.least, Math.min(foot.lines ? CODE.besideNotice : CODE.largest, room / (text * 0.5)));
}

/** How much of the stage's width is left on either side of the card. */
export function besideCard(view: View, qr: readonly string[]): number {
  return (view.size.width - cardSide(qr, quietOf(view))) / 2;
}

function quietOf({ foot }: View): number {
  return foot.lines > 1 ? QUIET.least : QUIET.usual;
}

function cardSide(qr: readonly string[], quiet: number): number {
  return (SYMBOL * (qr.length + 2 * quiet)) / Math.max(1, qr.length);
}

function Company({ view, place, width }: { view: View; place: Place; width: number }) {
  const { name } = teamOf(view.state, place);
  const side = sideAt({ state: view.state, match: view.scene.match }, place);
  const fontSize = `calc(${fittedName(name, width - 60, NAME)} * var(--u))`;
  return (
    <section class="company" data-place={place} data-side={side} style={{ width: `calc(${width} * var(--u))` }}>
      <Badge side={side} />
      <h2 style={{ fontSize }}>{name}</h2>
      <Won view={view} place={place} />
    </section>
  );
}

/** Where a team stands in a series that has begun. */
function Won({ view: { state }, place }: { view: View; place: Place }) {
  const needed = winsNeeded(state);
  if (needed === null || state.finished.length === 0) return null;
  return <p class="standing"><b>{seriesOf(state).won[place]}</b> of {needed} wins</p>;
}

/** Dark modules on a light card, with the quiet zone that scanners ask for. */
function QrCard({ qr, quiet }: { qr: readonly string[]; quiet: number }) {
  const side = qr.length + 2 * quiet;
  const size = `calc(${cardSide(qr, quiet)} * var(--u))`;
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} style={{ width: size, height: size }} role="img" aria-label="Join code">
      <rect width={side} height={side} rx="1.2" fill="#f4f1e8" />
      <path d={modules(qr, quiet)} fill="#0b1020" shape-rendering="crispEdges" />
    </svg>
  );
}

function modules(qr: readonly string[], quiet: number): string {
  return qr
    .flatMap((row, y) => [...row.matchAll(/1+/g)].map((run) => `M${(run.index ?? 0) + quiet} ${y + quiet}h${run[0].length}v1h-${run[0].length}z`))
    .join("");
}

function Doors({ view: { state } }: { view: View }) {
  return (
    <div class="doors">
      <h1>{state.name}</h1>
      <p>{DOORS[state.lobby]}</p>
    </div>
  );
}

const DOORS: Record<EventState["lobby"], string> = { open: "Doors are open", locked: "Joining is closed", closed: "Doors open soon" };
