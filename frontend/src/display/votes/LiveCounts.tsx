import { boardHeight, boardWidth, columnPitch, columnX } from "../../board/geometry";
import { formatNumber } from "../../live/format";
import { fitNumber } from "../scene/layout";
import { isPartHidden } from "../scene/places";
import { isOpenVote, gridPlacement, type StageView } from "../scene/stageView";

const WIDTH = 56;
const FOOT = -4;
const LABEL = { size: 62, above: 12, room: 84, margin: 8 };
/** The height reserved for the clock above. */
const CLOCK = 226;

/** The counts of an open vote while it runs, as bars over the columns. The tallest bar takes the full height. */
export function LiveCounts({ view }: { view: StageView }) {
  const { scene, counts, state } = view;
  const { match, turn } = scene;
  const placement = gridPlacement(view);
  if (!match || !turn || !placement || !isOpenVote(scene) || isPartHidden(state, "tally")) return null;
  const { board } = match;
  const votesSoFar = counts?.turn === turn.id ? counts.counts : [];
  const most = Math.max(1, ...votesSoFar);
  const room = Math.max(0, (placement.floor - placement.height - CLOCK) / placement.scale - LABEL.room);
  const size = fitNumber(formatNumber(most), columnPitch(board) - LABEL.margin, LABEL.size);
  return (
    <svg class="bars" viewBox={`0 0 ${boardWidth(board)} ${boardHeight(board)}`} data-counting aria-hidden="true">
      {Array.from({ length: board.columns }, (_, index) => {
        const votes = votesSoFar[index] ?? 0;
        const grown = votes / most;
        const x = columnX(index + 1, board, view.back);
        return (
          <g class="votes" key={index} data-side={turn.to_move[0]} data-votes={votes}>
            <rect x={x - WIDTH / 2} y={FOOT - room} width={WIDTH} height={room} rx="3" style={{ transform: `scaleY(${grown.toFixed(4)})` }} />
            <text x={x} font-size={size} style={{ transform: `translateY(${(FOOT - grown * room - LABEL.above).toFixed(1)}px)` }}>{votes > 0 && formatNumber(votes)}</text>
          </g>
        );
      })}
    </svg>
  );
}
