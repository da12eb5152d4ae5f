import { Badge } from "../board/Ball";
import { Water } from "./Sea";
import { clockface } from "./clockface";
import { fitted } from "./layout";
import { sideOf } from "./sides";
import { isWon, standing, type View } from "./view";
import { winnerOf } from "./scene";
import { series, unity, verdict } from "./words";

/** The winner's sea, behind the board. */
export function Flood({ view }: { view: View }) {
  const { match, phase } = view.scene;
  const winner = phase === "ended" && match ? winnerOf(match) : null;
  return <div class="flood" data-side={winner} data-up={winner !== null}><div class="crest"><Water width={2760} /></div></div>;
}

export function End({ view }: { view: View }) {
  const { match, leftMs } = view.scene;
  const stand = standing(view);
  if (!isWon(view.scene) || !match || !stand) return null;
  const { title, line, winner } = verdict(view.state, match);
  const united = winner ? unity(match, winner) : "";
  const width = view.size.width - stand.width - 56 * 3;
  const size = (text: string, largest: number, least: number) => `calc(${fitted(text, width, largest, least)} * var(--u))`;
  return (
    <main class="end" data-winner={winner} style={{ width: `calc(${width} * var(--u))` }}>
      {winner && <Badge side={winner} />}
      <h1 style={{ fontSize: size(title, 176, 80) }}>{title}</h1>
      <p style={{ fontSize: size(line, 84, 58) }}>{line}</p>
      {united && <p style={{ fontSize: size(united, 64, 54) }}>{united}</p>}
      <Score view={view} />
      {view.state.next_match_at !== null && <p class="next">Next match in <b>{clockface(leftMs)}</b></p>}
    </main>
  );
}

function Score({ view }: { view: View }) {
  const [first, second, drawn] = series(view.state);
  if (first + second + drawn === 0) return null;
  const { match } = view.scene;
  return (
    <p class="score" aria-label="Matches won">
      <Badge side={sideOf(match, 0)} />
      <b>{first}</b>
      <i>:</i>
      <b>{second}</b>
      <Badge side={sideOf(match, 1)} />
    </p>
  );
}
