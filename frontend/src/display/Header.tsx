import { Badge } from "../board/Ball";
import { Bank } from "./Bank";
import { clockface } from "./clockface";
import { Seal } from "./Seal";
import { fittedName } from "./layout";
import { sideOf, teamOf, type Place } from "./sides";
import type { Scene } from "./scene";
import type { View } from "./view";

const NAME = 84;
const MARGIN = 48;
const BESIDE_CLOCK = { narrow: 190, wide: 300 };
const BESIDE_BARS = 350;

/** A team in its corner: badge and name, beside the clock. */
export function Header({ view, place }: { view: View; place: Place }) {
  const { scene, size, state } = view;
  const side = sideOf(scene.match, place);
  const { name } = teamOf(state, place);
  const room = size.width / 2 - besideOf(scene) - MARGIN;
  const font = fittedName(name, room - 124, NAME);
  const waits = scene.turn !== null && scene.phase !== "reveal" && !scene.turn.to_move.includes(side) && scene.match?.concealed?.side !== side;
  return (
    <div class="team" data-place={place} data-side={side} data-waits={waits} style={{ width: `calc(${room} * var(--u))` }}>
      <Badge side={side} />
      <h2 style={{ fontSize: `calc(${font} * var(--u))` }}>{name}</h2>
      <Seal view={view} side={side} />
      <Bank view={view} place={place} />
    </div>
  );
}

/** A word in the clock's place is wider than the seconds. */
function besideOf({ phase, leftMs }: Scene): number {
  if (phase === "reveal") return BESIDE_BARS;
  const wide = phase === "sealed" || phase === "ended" || phase === "paused" || clockface(leftMs).length > 3;
  return wide ? BESIDE_CLOCK.wide : BESIDE_CLOCK.narrow;
}
