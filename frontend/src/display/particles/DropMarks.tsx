import { dropSymbol } from "../../live/dropSymbols";
import { isPartHidden, tallyForSide } from "../scene/places";
import { isBoardShrunk, type StageView } from "../scene/stageView";
import { markedTime, type MarkedDrop } from "./dropMarks";
import { particlePlace } from "./particlePlace";
import { particleTeams } from "./particleTeams";

/** The drops that voters want to find, as long as the piles or bars are shown. */
export function DropMarks({ view, beside, marked }: { view: StageView; beside: number; marked: readonly MarkedDrop[] }) {
  const { reveal } = view.scene;
  if (!reveal || !isBoardShrunk(view.scene) || isPartHidden(view.state, "drops")) return null;
  const now = view.now();
  const teams = particleTeams(view, beside);
  const [pour, picks] = [reveal.resolved_at + reveal.steps.pour, reveal.resolved_at + reveal.steps.picks];
  return (
    <>
      {marked.map((drop, index) => {
        const [from, until] = markedTime(drop, pour, picks);
        const team = teams.find(({ side }) => side === drop.side);
        const votes = tallyForSide(reveal, drop.side)?.counts[drop.column - 1] ?? 0;
        const place = team && isRevealed(view, drop) ? particlePlace(team, drop.column, drop.rank, votes) : null;
        if (!place || now >= until) return null;
        return <b key={index} class="drop-mark" data-side={drop.side} aria-hidden="true" style={{ "--x": place.x, "--y": place.y, "--lasts": `${until - from}ms` }}>{dropSymbol(drop.symbol)}</b>;
      })}
    </>
  );
}

function isRevealed({ scene: { reveal } }: StageView, { turn }: MarkedDrop): boolean {
  return turn === reveal?.turn || turn === reveal?.concealed?.turn;
}
