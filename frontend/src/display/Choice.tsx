import type { SideTally } from "../protocol";
import { percent, plural, share, sideOf, tallyOf, type Place } from "./sides";
import { standing, type View } from "./view";
import { decision } from "./words";

const SHOWN = ["picks", "drops", "second", "token", "lines", "over"];

/** What a team chose, on its side of the screen. */
export function Choice({ view, place }: { view: View; place: Place }) {
  const { scene, size } = view;
  const side = sideOf(scene.match, place);
  const tally = tallyOf(scene.reveal, side);
  const stand = standing(view);
  if (!tally || !stand || !scene.stage || !SHOWN.includes(scene.stage.step)) return null;
  const width = `calc(${(size.width - stand.width) / 2 - 30} * var(--u))`;
  return (
    <section class="choice" data-place={place} data-side={side} style={{ width }}>
      {tally.pick === null ? <span class="none">No pick</span> : <Pick tally={tally} pick={tally.pick} />}
      <p>{decision(tally) || `of ${plural(tally.ballots, "vote")}`}</p>
    </section>
  );
}

function Pick({ tally, pick }: { tally: SideTally; pick: number }) {
  return (
    <>
      <span class="said">chose</span>
      <b class="column">{pick}</b>
      {tally.ballots > 0 && <b class="share">{percent(share(tally, pick))} %</b>}
    </>
  );
}
