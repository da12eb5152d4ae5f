import { Badge } from "../../board/Ball";
import { currentSeries, winsNeeded, type Series } from "../../live/match/series";
import { SideChangesChart } from "./SideChangesChart";
import { Water } from "../votes/Sea";
import { clockface } from "../scene/clockface";
import { fitFontSize } from "../scene/layout";
import { sideAtPlace, type Place } from "../scene/places";
import { isWon, gridPlacement, type StageView } from "../scene/stageView";
import { matchWinner } from "../scene/scene";
import { unityText, matchVerdict } from "../captions/captions";

const WIDEST = 1100;

/** The winner's sea, behind the board. */
export function Flood({ view }: { view: StageView }) {
  const { match, phase } = view.scene;
  const winner = phase === "ended" && match ? matchWinner(match) : null;
  return <div class="flood" data-side={winner} data-up={winner !== null}><div class="crest"><Water width={2760} /></div></div>;
}

export function EndScreen({ view }: { view: StageView }) {
  const { match, leftMs } = view.scene;
  const placement = gridPlacement(view);
  if (!isWon(view.scene) || !match || !placement) return null;
  const { title, line, winner } = matchVerdict(view, match);
  const united = winner ? unityText(view.state, match, winner) : "";
  const series = currentSeries(view.state);
  const width = view.size.width - placement.width - 56 * 3;
  const size = (text: string, largest: number, least: number) => `calc(${fitFontSize(text, width, largest, least)} * var(--u))`;
  return (
    <section class="end" data-winner={winner} style={{ width: `calc(${width} * var(--u))` }}>
      {winner && series.winner === null && !match.sides && <Badge side={winner} />}
      <h1 style={{ fontSize: size(title, 176, 80) }}>{title}</h1>
      <p style={{ fontSize: size(line, 84, 58) }}>{line}</p>
      {match.sides && <SideChangesChart sides={match.sides} width={Math.min(width, WIDEST)} />}
      {united && !match.sides && series.winner === null && <p style={{ fontSize: size(united, 64, 54) }}>{united}</p>}
      {series.winner === null ? !match.sides && <Score view={view} series={series} /> : <Podium view={view} series={series} />}
      {!match.sides && <MatchHistory view={view} width={width} />}
      {view.state.next_match_at !== null && <p class="next">Next match in <b>{clockface(leftMs)}</b></p>}
    </section>
  );
}

function Score({ view, series: { won } }: { view: StageView; series: Series }) {
  const { match } = view.scene;
  const admissionHint = winsNeeded(view.state);
  return (
    <p class="score" aria-label={admissionHint === null ? "Matches won" : `Matches won, first to ${admissionHint} wins the series`}>
      <Badge side={sideAtPlace(match, 0)} />
      <b>{won[0]}</b>
      <i>:</i>
      <b>{won[1]}</b>
      <Badge side={sideAtPlace(match, 1)} />
      {admissionHint !== null && <span class="needed">first to {admissionHint}</span>}
    </p>
  );
}

/** The final score of a decided series, on a podium. */
function Podium({ view, series: { won, winner } }: { view: StageView; series: Series }) {
  const timelineSteps: readonly Place[] = winner === 1 ? [0, 1] : [1, 0];
  return (
    <div class="podium" aria-label="Matches won">
      {timelineSteps.map((place, rank) => (
        <div key={place} data-rank={rank + 1}>
          <Badge side={sideAtPlace(view.scene.match, place)} />
          <b>{won[place]}</b>
        </div>
      ))}
    </div>
  );
}

const PIP = 66;

/** The winner of each match of the event, oldest first: the latest ones that fit. */
function MatchHistory({ view, width }: { view: StageView; width: number }) {
  const matches = view.state.finished;
  const { match } = view.scene;
  if (matches.length < 2 || !match) return null;
  const shown = matches.slice(-Math.floor(width / PIP));
  return (
    <ol class="history" aria-label="Matches so far">
      {shown.map(({ number, winner }) => (
        <li key={number} data-winner={winner ?? "none"}>{winner !== null && <Badge side={sideAtPlace(match, winner === 1 ? 0 : 1)} />}</li>
      ))}
    </ol>
  );
}
