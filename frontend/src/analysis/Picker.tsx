import { useEffect, useState } from "preact/hooks";
import { Badge } from "../board/Ball";
import { p, parts, t } from "../live/i18n";
import type { Solution } from "../verify/bots/solver";
import { SIDES, type Move, type Side } from "../verify/record";
import { percent } from "./evaluation";
import { linePosition, tryMove, type Line } from "./line";

interface Props {
  line: Line;
  setLine: (line: Line) => void;
  solution: Solution | null;
  names: Readonly<Record<Side, string>>;
}

const NEVER = 0.005; // a share that rounds to 0%
const NOBODY: Move = { red: null, yellow: null };

/** Buttons for the next turn of both sides, with the share of each column in best play. Plays it once all have chosen. */
export function Picker({ line, setLine, solution, names }: Props) {
  const [chosen, setChosen] = useState(NOBODY);
  useEffect(() => setChosen(NOBODY), [line]);
  const position = linePosition(line);
  const choose = (side: Side, column: number) => {
    const move = { ...chosen, [side]: column };
    setChosen(move);
    if (position.toMove.every((each) => move[each] !== null)) setLine(tryMove(line, move));
  };
  const next = line.moves[line.at];
  return (
    <div class="picker">
      {SIDES.filter((side) => position.toMove.includes(side)).map((side) => (
        <fieldset key={side} data-side={side}>
          <legend><Badge side={side} /> {parts("Column of %(team)s", { team: <bdi>{names[side]}</bdi> })}</legend>
          <div class="columns" dir="ltr">
            {Array.from({ length: position.choices }, (_, index) => index + 1).map((column) => {
              const share = mix(solution, side)?.[column - 1];
              const isOpen = position.legal(side).includes(column);
              return (
                <button key={column} type="button" disabled={!isOpen} aria-pressed={chosen[side] === column} data-played={next?.[side] === column} style={{ "--share": share ?? 0 }} onClick={() => choose(side, column)}>
                  <span class="unseen">{p("of a board", "Column")} </span><b>{column}</b>
                  <small>{share !== undefined && share >= NEVER && percent(share)}</small>
                </button>
              );
            })}
          </div>
        </fieldset>
      ))}
      <p class="small">{solution ? t("The bars show how often best play picks each column. Choose for both sides to try a turn.") : t("Choose for both sides to try a turn.")} {next && t("The line marks the columns of the match.")}</p>
    </div>
  );
}

function mix(solution: Solution | null, side: Side): readonly number[] | null {
  const shares = side === "red" ? solution?.redMix : solution?.yellowMix;
  return shares?.length ? shares : null;
}
