import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { parts, t } from "../live/i18n";
import { useStore } from "../live/state/useStore";
import { readSolverPosition } from "../verify/bots/position";
import type { JsonObject } from "../verify/json";
import type { Solution } from "../verify/bots/solver";
import type { Move, Result, Side } from "../verify/record";
import type { Start } from "../verify/rules/position";
import { Analyzer, NOTHING, positionKey } from "./analyzer";
import { BoardFigure } from "./BoardFigure";
import { leavesAt, linePosition, returnToPlayed, startLine, stepTo, type Line } from "./line";
import { PairTable } from "./PairTable";
import { Picker } from "./Picker";
import { Steps } from "./Steps";
import { Value } from "./Value";
import { isWithheld, type Balls } from "./withheld";
import "./explorer.css";

interface Props {
  start: Start;
  options: JsonObject;
  played: readonly Move[];
  at: number;
  names: Readonly<Record<Side, string>>;
  /** What people vote on now. Undefined: not known. */
  live: Balls | null | undefined;
  /** Whose winning chance is shown. */
  side?: Side;
  /** What the exact solution of the first position says about an answer. */
  explain?: (solution: Solution) => string;
}

/** Steps through a match, tries other turns and shows what best play is worth. */
export function Explorer({ start, options, played, at, names, live, side = "red", explain }: Props) {
  const [line, setLine] = useState(() => startLine(start(options), played, at));
  useKeys(setLine);
  const status = useRef<HTMLElement>(null);
  /** For controls that the new position may lack or disable. */
  const goTo = (next: Line) => {
    setLine(next);
    status.current!.focus();
  };
  const position = linePosition(line);
  const solvable = position.result === "open" ? readSolverPosition(position, options.tie) : null;
  const isHidden = solvable !== null && (live === undefined || isWithheld(solvable, live));
  const analysis = useAnalysis(isHidden ? null : solvable);
  const solution = isHidden ? null : analysis.solution;
  const { token } = position.board!;
  const left = leavesAt(line);
  return (
    <div class="explorer">
      <BoardFigure line={line} />
      <div>
        {explain && solution?.isExact && line.at === at && left === null && <p class="explained" role="status">{explain(solution)}</p>}
        <Steps line={line} setLine={setLine} />
        <p class="where">
          <strong role="status" tabIndex={-1} ref={status}>{line.at === 0 ? (explain ? t("Puzzle") : t("Before the first turn")) : left === null || explain ? t("After turn %(number)s", { number: line.at }) : t("After turn %(number)s, not as played", { number: line.at })}</strong>
          {token && position.result === "open" && <Token holder={names[token]} />}
          {left !== null && <button type="button" class="main" onClick={() => goTo(returnToPlayed(line))}>{explain ? t("Back to the puzzle") : t("Back to the match")}</button>}
        </p>
        {position.result !== "open" && <p class="end">{describeResult(position.result, names)}</p>}
        {isHidden && <p class="note">{live === undefined ? t("Waiting for the server…") : t("People are voting on this position, or on one that can lead to it. Its analysis is hidden for now.")}</p>}
        {solvable && !isHidden && <Value analysis={analysis} names={names} side={side} />}
        {position.toMove.length > 0 && <Picker line={line} setLine={goTo} solution={solution} names={names} />}
        {solution && position.result === "open" && <PairTable solution={solution} names={names} />}
      </div>
    </div>
  );
}

export const Token = ({ holder }: { holder: string }) => <span class="small">{parts("%(name)s holds the token and drops first", { name: <bdi>{holder}</bdi> })}</span>;

function useAnalysis(position: ReturnType<typeof readSolverPosition>) {
  const analyzer = useMemo(() => new Analyzer(), []);
  const analysis = useStore(analyzer.store);
  const shown = position ? positionKey(position) : "";
  useEffect(() => analyzer.show(position), [analyzer, shown]);
  return analysis.key === shown ? analysis : NOTHING;
}

const KEYS: Readonly<Record<string, (line: Line) => number>> = { ArrowLeft: ({ at }) => at - 1, ArrowRight: ({ at }) => at + 1, Home: () => 0, End: ({ moves }) => moves.length };

function useKeys(setLine: (change: (line: Line) => Line) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const goal = KEYS[event.key];
      if (!goal || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      setLine((line) => stepTo(line, goal(line)));
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [setLine]);
}

function describeResult(result: Result, names: Readonly<Record<Side, string>>) {
  return result === "red" || result === "yellow" ? parts("%(team)s wins", { team: <bdi>{names[result]}</bdi> }) : t("The game is a draw");
}
