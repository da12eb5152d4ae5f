import { Badge } from "../../board/Ball";
import { TimeBank } from "./TimeBank";
import { countdownText } from "../scene/countdownText";
import { Seal } from "./Seal";
import { fitName } from "../scene/layout";
import { sideAtPlace, teamAtPlace, type Place } from "../scene/places";
import type { Scene } from "../scene/scene";
import type { StageView } from "../scene/stageView";

const NAME = 84;
const MARGIN = 48;
const BESIDE_CLOCK = { narrow: 190, wide: 300 };
const BESIDE_BARS = 350;

/** A team's badge, name, seal and time bank, in its corner beside the countdown. */
export function TeamHeader({ view, place }: { view: StageView; place: Place }) {
  const { scene, size, state } = view;
  const side = sideAtPlace(scene.match, place);
  const { name } = teamAtPlace(state, place);
  const room = size.width / 2 - clockMargin(scene) - MARGIN;
  const font = fitName(name, room - 124, NAME);
  const waits = scene.turn !== null && scene.phase !== "reveal" && !scene.turn.to_move.includes(side) && scene.match?.concealed?.side !== side;
  return (
    <div class="team" data-place={place} data-side={side} data-waits={waits} style={{ width: `calc(${room} * var(--u))` }}>
      <Badge side={side} />
      <h2 style={{ fontSize: `calc(${font} * var(--u))` }}>{name}</h2>
      <Seal view={view} side={side} />
      <TimeBank view={view} place={place} />
    </div>
  );
}

/** A word in the clock's place is wider than the seconds. */
function clockMargin({ phase, leftMs }: Scene): number {
  if (phase === "reveal") return BESIDE_BARS;
  const wide = phase === "sealed" || phase === "ended" || phase === "paused" || countdownText(leftMs).length > 3;
  return wide ? BESIDE_CLOCK.wide : BESIDE_CLOCK.narrow;
}
