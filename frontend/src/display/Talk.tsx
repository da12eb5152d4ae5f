import { need } from "./announcer";
import { fitted } from "./layout";
import { sideOf, type Place } from "./sides";
import { standing, type View } from "./view";

const WORDS = { ours: "Talk it over", theirs: "They talk, too" };
const MARGIN = 40;

/** Before the vote opens: a team's own half of the screen says what there is to talk about. */
export function Talk({ view, place }: { view: View; place: Place }) {
  const { state, scene, size } = view;
  const stand = standing(view);
  const { match } = scene;
  if (!stand || !match) return null;
  const side = sideOf(match, place);
  if (!scene.turn?.to_move.includes(side)) return null;
  const width = (size.width - stand.width) / 2 - 2 * MARGIN;
  const words = need({ state, match }, side);
  return (
    <section class="talk" data-place={place} data-side={side} style={{ width: `calc(${width} * var(--u))` }}>
      <b style={{ fontSize: `calc(${fitted("Talk it", width, 132, 72)} * var(--u))` }}>{view.home && place === 1 ? WORDS.theirs : WORDS.ours}</b>
      {words && <p>{words}</p>}
    </section>
  );
}
