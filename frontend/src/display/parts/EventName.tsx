import { measureName } from "../scene/measureName";
import type { StageView } from "../scene/stageView";

const FONT = { largest: 62, least: 54.5 };

/** The event's name, on one line if it fits. */
export function EventName({ view: { state }, width }: { view: StageView; width: number }) {
  const fontSize = `calc(${Math.max(FONT.least, Math.min(FONT.largest, width / measureName(state.name)))} * var(--u))`;
  return <p class="event-name" title={state.name} style={{ fontSize, maxWidth: `calc(${width} * var(--u))` }}>{state.name}</p>;
}
