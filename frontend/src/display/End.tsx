import { Badge } from "../board/Ball";
import { seriesOf, winsNeeded, type Series } from "../live/series";
import { River } from "./River";
import { Water } from "./Sea";
import { clockface } from "./clockface";
import { fitted } from "./layout";
import { sideOf, type Place } from "./sides";
import { isWon, standing, type View } from "./view";
import { winnerOf } from "./scene";
import { unity, verdict } from "./words";

const WIDEST = 1100;

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
  const { title, line, winner } = verdict(view, match);
  const united = winner ? unity(view.state, match, winner) : "";
  const series = seriesOf(view.state);
  const width = view.size.width - stand.width - 56 * 3;
  const size = (text: string, largest: number, least: number) => `calc(${fitted(text, width, largest, least)} * var(--u))`;
  return (
    <section class="end" data-winner={winner} style={{ width: `calc(${width} * var(--u))` }}>
      {winner && series.winner === null && !match.sides && <Badge side={winner} />}
      <h1 style={{ fontSize: size(title, 176, 80) }}>{title}</h1>
      <p style={{ fontSize: size(line, 84, 58) }}>{line}</p>
      {match.sides && <River sides={match.sides} width={Math.min(width, WIDEST)} />}
      {united && !match.sides && series.winner === null && <p style={{ fontSize: size(united, 64, 54) }}>{united}</p>}
      {series.winner === null ? !match.sides && <Score view={view} series={series} /> : <Podium view={view} series={series} />}
      {!match.sides && <History view={view} width={width} />}
      {view.state.next_match_at !== null && <p class="next">Next match in <b>{clockface(leftMs)}</b></p>}
    </section>
  );
}

function Score({ view, series: { won } }: { view: View; series: Series }) {
  const { match } = view.scene;
  const needed = winsNeeded(view.state);
  return (
    <p class="score" aria-label={needed === null ? "Matches won" : `Matches won, ${needed} win the series`}>
      <Badge side={sideOf(match, 0)} />
      <b>{won[0]}</b>
      <i>:</i>
      <b>{won[1]}</b>
      <Badge side={sideOf(match, 1)} />
      {needed !== null && <span class="needed">first to {needed}</span>}
    </p>
  );
}

/** The series is decided: one stands higher than the other. */
function Podium({ view, series: { won, winner } }: { view: View; series: Series }) {
  const steps: readonly Place[] = winner === 1 ? [0, 1] : [1, 0];
  return (
    <div class="podium" aria-label="Matches won">
      {steps.map((place, rank) => (
        <div key={place} data-rank={rank + 1}>
          <Badge side={sideOf(view.scene.match, place)} />
          <b>{won[place]}</b>
        </div>
      ))}
    </div>
  );
}

const PIP = 66;

/** Who won each match of the evening, oldest first, as many of the last ones as there is room for. */
function History({ view, width }: { view: View; width: number }) {
  const matches = view.state.finished;
  const { match } = view.scene;
  if (matches.length < 2 || !match) return null;
  const shown = matches.slice(-Math.floor(width / PIP));
  return (
    <ol class="history" aria-label="The matches so far">
      {shown.map(({ number, winner }) => (
        <li key={number} data-winner={winner ?? "none"}>{winner !== null && <Badge side={sideOf(match, winner === 1 ? 0 : 1)} />}</li>
      ))}
    </ol>
  );
}
