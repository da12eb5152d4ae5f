import { cabinetHeight, cabinetWidth, pitchOf, slotX } from "../board/geometry";
import { thousands } from "../live/format";
import { fittedNumber } from "./layout";
import { isHidden } from "./sides";
import { isOpenVote, standing, type View } from "./view";

const WIDTH = 56;
const FOOT = -4;
const LABEL = { size: 62, above: 12, room: 84, margin: 8 };
/** The clock stands above. */
const CLOCK = 226;

/** An open vote as it goes: over each column its votes; the highest bar takes all the room there is. */
export function Counting({ view }: { view: View }) {
  const { scene, counts, state } = view;
  const { match, turn } = scene;
  const stand = standing(view);
  if (!match || !turn || !stand || !isOpenVote(scene) || isHidden(state, "tally")) return null;
  const { board } = match;
  const told = counts?.turn === turn.id ? counts.counts : [];
  const most = Math.max(1, ...told);
  const room = Math.max(0, (stand.floor - stand.height - CLOCK) / stand.scale - LABEL.room);
  const size = fittedNumber(thousands(most), pitchOf(board) - LABEL.margin, LABEL.size);
  return (
    <svg class="bars" viewBox={`0 0 ${cabinetWidth(board)} ${cabinetHeight(board)}`} data-counting aria-hidden="true">
      {Array.from({ length: board.columns }, (_, index) => {
        const votes = told[index] ?? 0;
        const grown = votes / most;
        const x = slotX(index + 1, board, view.back);
        return (
          <g class="votes" key={index} data-side={turn.to_move[0]} data-votes={votes}>
            <rect x={x - WIDTH / 2} y={FOOT - room} width={WIDTH} height={room} rx="3" style={{ transform: `scaleY(${grown.toFixed(4)})` }} />
            <text x={x} font-size={size} style={{ transform: `translateY(${(FOOT - grown * room - LABEL.above).toFixed(1)}px)` }}>{votes > 0 && thousands(votes)}</text>
          </g>
        );
      })}
    </svg>
  );
}
