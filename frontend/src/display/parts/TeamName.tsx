import { fitTeamName, type NameBox } from "../scene/fitTeamName";
import { measureName } from "../scene/measureName";
import { teamAtPlace, type Place } from "../scene/places";
import type { StageView } from "../scene/stageView";

/** A team's name as a heading, shortened so that it differs from the other team's. Screen readers read it in full. */
export function TeamName({ view: { state }, place, level: Heading, ...box }: { view: StageView; place: Place; level: "h1" | "h2" } & NameBox) {
  const { name } = teamAtPlace(state, place);
  const other = teamAtPlace(state, place === 0 ? 1 : 0).name;
  const { text, size } = fitTeamName(name, other, box, measureName);
  return <Heading class="team-name" style={{ fontSize: `calc(${size} * var(--u))` }} title={name} aria-label={name}>{text}</Heading>;
}
