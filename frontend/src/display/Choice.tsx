import type { SideTally } from "../protocol";
import { nameOf } from "../board/geometry";
import { support } from "../live/support";
import { isHidden, percent, plural, sideOf, tallyOf, teamOf, type Place } from "./sides";
import { standing, type View } from "./view";
import { decision } from "./words";

const SHOWN = ["picks", "drops", "second", "token", "lines", "replay", "over"];

/** What a team chose, on its side of the screen. */
export function Choice({ view, place }: { view: View; place: Place }) {
  const { scene, size, state } = view;
  const side = sideOf(scene.match, place);
  const tally = tallyOf(scene.reveal, side);
  const stand = standing(view);
  if (!tally || !stand || !scene.stage || !SHOWN.includes(scene.stage.step)) return null;
  const width = `calc(${(size.width - stand.width) / 2 - 30} * var(--u))`;
  const counted = !isHidden(state, "tally");
  const name = nameOf(scene.match!.board, tally.pick ?? 0);
  const words = decision(tally, counted, name) || of(view, place, tally);
  return (
    <section class="choice" data-place={place} data-side={side} style={{ width }}>
      {tally.pick === null ? <span class="none">{tally.decided_by === "resign" ? "Gives up" : "No pick"}</span> : <Pick tally={tally} name={name} counted={counted} who={whoIn(view, place)} />}
      {words && <p>{words}</p>}
    </section>
  );
}

/** How many chose, and how they said so; without counts, only how. */
function of({ state }: View, place: Place, { ballots }: SideTally): string {
  const hands = teamOf(state, place).hands;
  if (isHidden(state, "turnout") || isHidden(state, "tally")) return hands ? "by show of hands" : "";
  return `of ${plural(ballots, hands ? "hand" : "vote")}`;
}

function whoIn({ home }: View, place: Place): string {
  if (!home) return "";
  return place === 0 ? "You " : "They ";
}

function Pick({ tally, name, counted, who }: { tally: SideTally; name: string; counted: boolean; who: string }) {
  const [votes, of] = support(tally);
  return (
    <>
      <span class="said">{who}chose</span>
      <b class="column">{name}</b>
      {counted && tally.ballots > 0 && <b class="share">{percent(votes / of)} %</b>}
    </>
  );
}
