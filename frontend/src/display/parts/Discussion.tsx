import { threatLabel } from "../captions/commentary";
import { t } from "../../live/i18n";
import { fitTwoLines } from "../scene/layout";
import { sideAtPlace, type Place } from "../scene/places";
import { gridPlacement, type StageView } from "../scene/stageView";

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
  const title = view.home && place === 1 ? t("They talk too") : t("Talk it over");
  const words = threatLabel({ state, match }, side);
  return (
    <section class="talk" data-place={place} data-side={side} style={{ width: `calc(${width} * var(--u))` }}>
      <b style={{ fontSize: `calc(${fitTwoLines(title, width, 132, 54)} * var(--u))` }}>{title}</b>
      {words && <p>{words}</p>}
    </section>
  );
}
