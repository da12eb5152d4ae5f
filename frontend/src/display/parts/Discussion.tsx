import { threatLabel } from "../captions/commentary";
import { fitFontSize } from "../scene/layout";
import { sideAtPlace, type Place } from "../scene/places";
import { gridPlacement, type StageView } from "../scene/stageView";

const WORDS = { own: "Talk it over", theirs: "They talk too" };
const MARGIN = 40;

/** In the discussion before the vote: hints for a team, on its own half of the screen. */
export function Discussion({ view, place }: { view: StageView; place: Place }) {
  const { state, scene, size } = view;
  const placement = gridPlacement(view);
  const { match } = scene;
  if (!placement || !match) return null;
  const side = sideAtPlace(match, place);
  if (!scene.turn?.to_move.includes(side)) return null;
  const width = (size.width - placement.width) / 2 - 2 * MARGIN;
  const words = threatLabel({ state, match }, side);
  return (
    <section class="talk" data-place={place} data-side={side} style={{ width: `calc(${width} * var(--u))` }}>
      <b style={{ fontSize: `calc(${fitFontSize("Talk it", width, 132, 72)} * var(--u))` }}>{view.home && place === 1 ? WORDS.theirs : WORDS.own}</b>
      {words && <p>{words}</p>}
    </section>
  );
}
