import { Badge } from "../board/Ball";
import { Address } from "./Deck";
import { fittedName } from "./layout";
import { PLACES, sideOf, teamOf, type Place } from "./sides";
import type { View } from "./view";

const NAME = 84;
const QUIET = 4;
const SYMBOL = 656;

/** Everyone's way in: the symbol, the address, the code, and who is there. */
export function Lobby({ view, qr }: { view: View; qr: readonly string[] }) {
  if (view.scene.phase !== "lobby") return null;
  const open = view.state.lobby === "open";
  return (
    <main class="lobby">
      {PLACES.map((place) => <Company key={place} view={view} place={place} width={besideCard(view, qr)} />)}
      {open ? <QrCard qr={qr} /> : <Doors view={view} />}
      <div class="way-in">
        {view.state.lobby === "locked" ? <p>The match begins soon</p> : <Address url={view.joinUrl} code={view.state.code} />}
      </div>
    </main>
  );
}

/** How much of the stage's width is left on either side of the card. */
export function besideCard(view: View, qr: readonly string[]): number {
  return (view.size.width - cardSide(qr)) / 2;
}

function cardSide(qr: readonly string[]): number {
  return (SYMBOL * (qr.length + 2 * QUIET)) / Math.max(1, qr.length);
}

function Company({ view, place, width }: { view: View; place: Place; width: number }) {
  const { name } = teamOf(view.state, place);
  const side = sideOf(view.scene.match, place);
  const fontSize = `calc(${fittedName(name, width - 60, NAME)} * var(--u))`;
  return (
    <section class="company" data-place={place} data-side={side} style={{ width: `calc(${width} * var(--u))` }}>
      <Badge side={side} />
      <h2 style={{ fontSize }}>{name}</h2>
    </section>
  );
}

/** Dark modules on a light card, with the quiet zone that scanners ask for. */
function QrCard({ qr }: { qr: readonly string[] }) {
  const side = qr.length + 2 * QUIET;
  const size = `calc(${cardSide(qr)} * var(--u))`;
  return (
    <svg class="qr" viewBox={`0 0 ${side} ${side}`} style={{ width: size, height: size }} role="img" aria-label="Join code">
      <rect width={side} height={side} rx="1.2" fill="#f4f1e8" />
      <path d={modules(qr)} fill="#0b1020" shape-rendering="crispEdges" />
    </svg>
  );
}

function modules(qr: readonly string[]): string {
  return qr
    .flatMap((row, y) => [...row.matchAll(/1+/g)].map((run) => `M${(run.index ?? 0) + QUIET} ${y + QUIET}h${run[0].length}v1h-${run[0].length}z`))
    .join("");
}

function Doors({ view: { state } }: { view: View }) {
  return (
    <div class="doors">
      <h1>{state.name}</h1>
      <p>{state.lobby === "locked" ? "Joining is closed" : "Doors open soon"}</p>
    </div>
  );
}
