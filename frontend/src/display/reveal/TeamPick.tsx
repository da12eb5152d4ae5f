import { pickTexts } from "../captions/pickTexts";
import { sideAtPlace, tallyForSide, type Place } from "../scene/places";
import { gridPlacement, type StageView } from "../scene/stageView";
import { judgedTurn } from "../captions/analysis";

/** A team's pick (the chosen column), its share of the votes and how it was decided, until the turn is judged. */
export function TeamPick({ view, place }: { view: StageView; place: Place }) {
  const { scene: { match, reveal, stage }, size, state, home } = view;
  const side = sideAtPlace(match, place);
  const tally = tallyForSide(reveal, side);
  const placement = gridPlacement(view);
  if (!tally || !placement || !match || !stage || ["sealed", "pour"].includes(stage.step)) return null;
  const width = `calc(${(size.width - placement.width) / 2 - 30} * var(--u))`;
  const { chooser, column, share, below } = pickTexts({ state, match }, tally, place, home);
  return (
    <section class="choice" data-place={place} data-side={side} style={{ width }}>
      <span class={column ? "said" : "none"}>{chooser}</span>
      {column && <b class="column">{column}</b>}
      {share && <b class="share">{share}</b>}
      {below && judgedTurn(view.scene) === null && <p>{below}</p>}
    </section>
  );
}
