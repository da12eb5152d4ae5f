import { Badge } from "../../board/Ball";
import { currentSeries, winsNeeded, type Series } from "../../live/match/series";
import { parts, t } from "../../live/i18n";
import { SideChangesChart } from "./SideChangesChart";
import { TeamName } from "./TeamName";
import { Water } from "../votes/TurnoutBar";
import { countdownText } from "../scene/countdownText";
import { fitFontSize } from "../scene/layout";
import { PLACES, sideAtPlace, sidePlace, type Place } from "../scene/places";
import { gridPlacement, type StageView } from "../scene/stageView";
import { witnessText } from "../scene/witnesses";
import { matchWinner } from "../scene/scene";
import { judgesText } from "../captions/analysis";
import { mistakeText, turningText } from "../../live/match/verdict";
import { plainText, teamName } from "../captions/sentence";
import { unitedText, matchVerdict } from "../captions/captions";

const WIDEST = 1100;
const DRAWN_BADGE = 110;
/** How much wider the digits of the countdown are than those of the text. */
const TIMES_WIDER = 3;

/** The winner's color as water that rises behind the board. */
export function WinnerBackground({ view }: { view: StageView }) {
  const { match, phase } = view.scene;
  const winner = phase === "ended" && match ? matchWinner(match) : null;
  return <div class="flood" data-side={winner} data-up={winner !== null}><div class="crest"><Water width={2760} /></div></div>;
}

/**
 * The result screen of a match: the winner, the series score and the time of the next match. Some time later, what
 * decided the match and its best judges replace the rest, as far as there is room.
 */
export function EndScreen({ view }: { view: StageView }) {
  const { match, phase, leftMs, recap } = view.scene;
  const placement = gridPlacement(view);
  if (phase !== "ended" || !match || !placement) return null;
  const mistake = recap?.mistake;
  const verdict = matchVerdict(view, match);
  const { winner } = verdict;
  const [line, reason] = mistake ? [mistakeText(mistake, match.result), plainText({ state: view.state, match }, turningText(match.analysis!.match!, teamName))] : [verdict.line, verdict.reason];
  const united = winner && !recap ? unitedText(view.state, match, winner) : "";
  const judges = judgesText(recap?.judges ?? []);
  const sides = mistake ? null : match.sides;
  const series = currentSeries(view.state);
  const isDecided = series.winner !== null;
  const showsReason = isDecided ? mistake && !judges : !sides;
  const time = countdownText(leftMs);
  const width = view.size.width - placement.width - 56 * 3;
  const witnesses = recap ? witnessText(view.witnesses, width, 54.5) : "";
  const size = (text: string, largest: number, least: number) => `calc(${fitFontSize(text, width, largest, least)} * var(--u))`;
  return (
    <section class="end" data-winner={winner} style={{ width: `calc(${width} * var(--u))` }}>
      {winner && !isDecided && !sides && !recap && view.state.finished.length < 2 && !match.reveal?.resolution.double_win && <Badge side={winner} />}
      {winner ? <TeamName view={view} place={sidePlace(match, winner)} level="h1" width={width} largest={176} least={80} /> : <h1 style={{ fontSize: size(verdict.title, 176, 80) }}>{verdict.title}</h1>}
      {!winner && !recap && PLACES.map((place) => <div key={place} class="drawn-team"><Badge side={sideAtPlace(match, place)} /><TeamName view={view} place={place} level="h2" width={width - DRAWN_BADGE} largest={84} least={58} /></div>)}
      <p style={{ fontSize: size(line, 84, 58) }}>{line}</p>
      {reason && showsReason && <p class="reason" style={{ fontSize: size(reason, 64, 54.5) }}>{reason}</p>}
      {judges && <p class="reason" style={{ fontSize: size(judges, 64, 54.5) }}>{judges}</p>}
      {sides && <SideChangesChart sides={sides} width={Math.min(width, WIDEST)} />}
      {united && !sides && !isDecided && <p style={{ fontSize: size(united, 64, 54.5) }}>{united}</p>}
      {isDecided && !mistake && !judges ? <Podium view={view} series={series} /> : !sides && (isDecided || !judges) && <SeriesScore view={view} series={series} />}
      {!sides && !recap && <MatchHistory view={view} width={width} />}
      {witnesses && <p style={{ fontSize: size(witnesses, 54.5, 54.5) }}>{witnesses}</p>}
      {view.state.next_match_at !== null && <p class="next" style={{ fontSize: size(t("Next match in %(time)s", { time: time.repeat(TIMES_WIDER) }), 64, 54.5) }}>{parts("Next match in %(time)s", { time: <b>{time}</b> })}</p>}
    </section>
  );
}

/** The series score after a match: wins of each team, and how many a best-of series needs. */
function SeriesScore({ view, series: { won } }: { view: StageView; series: Series }) {
  const { match } = view.scene;
  const needed = winsNeeded(view.state);
  return (
    <p class="score" aria-label={needed === null ? t("Matches won") : t("Matches won, first to %(wins)s wins the series", { wins: needed })}>
      <Badge side={sideAtPlace(match, 0)} />
      <b>{won[0]}</b>
      <i>:</i>
      <b>{won[1]}</b>
      <Badge side={sideAtPlace(match, 1)} />
      {needed !== null && <span class="needed">{t("first to %(wins)s", { wins: needed })}</span>}
    </p>
  );
}

/** The final score of a decided series, on a podium. */
function Podium({ view, series: { won, winner } }: { view: StageView; series: Series }) {
  const order: readonly Place[] = winner === 1 ? [0, 1] : [1, 0];
  return (
    <div class="podium" aria-label={t("Matches won")}>
      {order.map((place, rank) => (
        <div key={place} data-rank={rank + 1}>
          <Badge side={sideAtPlace(view.scene.match, place)} />
          <b>{won[place]}</b>
        </div>
      ))}
    </div>
  );
}

const HISTORY_BADGE = 66;

/** The winner of each match of the event, oldest first: the latest ones that fit. */
function MatchHistory({ view, width }: { view: StageView; width: number }) {
  const matches = view.state.finished;
  const { match } = view.scene;
  if (matches.length < 2 || !match) return null;
  const shown = matches.slice(-Math.floor(width / HISTORY_BADGE));
  return (
    <ol class="history" aria-label={t("Matches so far")}>
      {shown.map(({ number, winner }) => (
        <li key={number} data-winner={winner ?? "none"}>{winner !== null && <Badge side={sideAtPlace(match, winner === 1 ? 0 : 1)} />}</li>
      ))}
    </ol>
  );
}
