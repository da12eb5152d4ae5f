import { parts } from "../../live/i18n";
import { currentSeries, winsNeeded } from "../../live/match/series";
import type { Place } from "../scene/places";
import type { StageView } from "../scene/stageView";

/** A team's series score in the lobby: its wins in a series that has begun. */
export function SeriesWins({ view: { state }, place }: { view: StageView; place: Place }) {
  const needed = winsNeeded(state);
  if (needed === null || state.finished.length === 0) return null;
  return <p class="series-wins">{parts("%(won)s of %(needed)s wins", { won: <b>{currentSeries(state).won[place]}</b>, needed: <>{needed}</> })}</p>;
}
