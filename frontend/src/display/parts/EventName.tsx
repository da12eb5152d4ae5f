import { measureName } from "../scene/measureName";
import type { StageView } from "../scene/stageView";

export const EVENT_NAME_LEAST = 54.5;
const LARGEST = 62;

/** The event's name, on one line if it fits. */
export function EventName({ view: { state }, width }: { view: StageView; width: number }) {
  const fontSize = `calc(${Math.max(EVENT_NAME_LEAST, Math.min(LARGEST, width / measureName(state.name)))} * var(--u))`;
  return <p class="event-name" title={state.name} style={{ fontSize, maxWidth: `calc(${width} * var(--u))` }}>{state.name}</p>;
}
