import { useRef, useState } from "preact/hooks";
import { Cabinet } from "../board/Cabinet";
import type { Cell } from "../board/geometry";
import type { KeyShown } from "../protocol";
import { Bars } from "./Bars";
import { Choice } from "./Choice";
import { Clock } from "./Clock";
import { Deck } from "./Deck";
import { End, Flood } from "./End";
import { Falling } from "./Falling";
import { Header } from "./Header";
import { Lobby, besideCard } from "./Lobby";
import { Peek } from "./Peek";
import { Pour } from "./Pour";
import { Sea } from "./Sea";
import { Token } from "./Token";
import { FLOOR } from "./layout";
import { boardOf } from "./scene";
import { PLACES } from "./sides";
import { isDark, isWon, standing, useReveal, type View } from "./view";

/** The whole stage, back to front. */
export function Show({ view, qr, shown }: { view: View; qr: readonly string[]; shown: KeyShown | null }) {
  const { phase, stage } = view.scene;
  const stand = standing(view);
  const playing = phase !== "lobby" && !isWon(view.scene);
  const beside = stand && phase !== "lobby" ? (view.size.width - stand.width) / 2 : besideCard(view, qr);
  return (
    <div class="stage" data-phase={phase} data-step={stage?.step} data-won={isWon(view.scene)} data-peek={view.state.peek} style={{ "--company": `calc(${besideCard(view, qr)} * var(--u))` }}>
      <div class="dusk" data-on={isDark(view.scene)} />
      {PLACES.map((place) => <Sea key={place} view={view} place={place} beside={beside} />)}
      <Flood view={view} />
      {playing && PLACES.map((place) => <Header key={place} view={view} place={place} />)}
      {phase === "reveal" && PLACES.map((place) => <Choice key={place} view={view} place={place} />)}
      <Lobby view={view} qr={qr} shown={shown} />
      <Deck view={view} shown={shown} />
      {view.state.peek && <Peek />}
      <Dock view={view} />
      {stage?.step === "pour" && !view.calm && <Pour view={view} />}
      {phase !== "lobby" && <Token view={view} />}
      {playing && <Clock view={view} />}
      <End view={view} />
    </div>
  );
}

/** The cabinet in its place on the floor. */
function Dock({ view }: { view: View }) {
  const board = boardOf(view.scene);
  const stand = standing(view);
  const lit = useLit(view);
  if (!board || !stand) return null;
  const { stage, reveal, phase } = view.scene;
  const moving = phase === "reveal" && stage && stage.step !== "sealed";
  const shown = moving && stage.step !== "lines" && stage.step !== "over";
  const framed = shown && stage.step !== "pour" ? (reveal?.resolution.conflict ?? null) : null;
  const behind = moving ? <><Bars view={view} />{shown && <Falling view={view} />}</> : null;
  return (
    <div class="dock" style={dockStyle(stand)}>
      <Cabinet board={board} lit={lit} framed={framed} behind={behind} />
    </div>
  );
}

function dockStyle({ centre, width, height, scale }: NonNullable<ReturnType<typeof standing>>) {
  const own = { width: width / scale, height: height / scale };
  return {
    width: `calc(${own.width} * var(--u))`,
    height: `calc(${own.height} * var(--u))`,
    transform: `translate(calc(${centre - width / 2} * var(--u)), calc(${FLOOR - height} * var(--u))) scale(${scale})`,
  };
}

/** The cells of every line, ball by ball; after the reveal all of them. */
function useLit(view: View): readonly Cell[] {
  const [count, setCount] = useState(0);
  const { reveal, match, phase } = view.scene;
  const order = useRef<readonly Cell[]>([]);
  order.current = unique(reveal?.resolution.lines.flat() ?? []);
  useReveal(view, ["lines"], ({ lit }) => setCount(Math.ceil(lit * order.current.length)));
  if (phase === "ended") return match?.board.winning_cells ?? [];
  return phase === "reveal" ? order.current.slice(0, count) : [];
}

function unique(cells: readonly Cell[]): Cell[] {
  return [...new Map(cells.map((cell) => [String(cell), cell])).values()];
}
