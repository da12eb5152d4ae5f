import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { BoardFigure } from "../analysis/BoardFigure";
import { Explorer, Token } from "../analysis/Explorer";
import { linePosition, startLine } from "../analysis/line";
import { Badge } from "../board/Ball";
import { p, t } from "../live/i18n";
import { GAMES } from "../verify/rules/games";
import { loadPuzzle, sendAnswer, type Puzzle } from "./puzzle";
import { difficultyName, explain, mixName, question, sideNames } from "./texts";
import "./puzzles.css";

export function PuzzlePage() {
  const [puzzle, setPuzzle] = useState<Puzzle | null | undefined>();
  useEffect(() => void loadPuzzle().then(setPuzzle), []);
  return (
    <>
      <header class="top"><a class="mark" href="/"><Badge side="red" /><Badge side="yellow" /><span>Crowdgame</span></a></header>
      <main class="page">
        {puzzle === null && <p class="note error" role="alert">{t("The puzzle can’t be loaded now. Try again in a moment.")}</p>}
        {puzzle && <Posed puzzle={puzzle} />}
      </main>
    </>
  );
}

function Posed({ puzzle }: { puzzle: Puzzle }) {
  const { number, daily, side, options, turns, answer } = puzzle;
  const verdict = useRef<HTMLDivElement>(null);
  const [choice, setChoice] = useState<number | null>(null);
  const start = GAMES.get(puzzle.game)!;
  const played = useMemo(() => turns.map(([red, yellow]) => ({ red, yellow })), [turns]);
  const line = useMemo(() => startLine(start(options), played, played.length), [played]);
  const position = linePosition(line);
  const choose = (chosen: number) => {
    setChoice(chosen);
    verdict.current!.focus();
    sendAnswer(puzzle, chosen);
  };
  return (
    <>
      <p class="eyebrow">{t("Puzzle %(number)s", { number })} · {difficultyName(puzzle)}</p>
      <h1>{number === daily ? t("Puzzle of the day") : t("Puzzle")}</h1>
      <p class="question"><Badge side={side} /> <strong>{t("You are %(side)s.", { side: sideNames()[side] })}</strong> {question(puzzle)}</p>
      <div role="status" tabIndex={-1} ref={verdict}>{choice !== null && <p class="verdict" data-right={choice === answer}>{choice === answer ? t("Right!") : t("Not quite.")}</p>}</div>
      {choice === null ? (
        <div class="explorer">
          <BoardFigure line={line} />
          <div>
            <Choices puzzle={puzzle} open={position.legal(side)} choose={choose} />
            <p><Token holder={sideNames()[position.board!.token!]} /></p>
          </div>
        </div>
      ) : (
        <Explorer start={() => position} options={options} played={[]} at={0} names={sideNames()} live={null} side={side} explain={(solution) => explain(puzzle, choice, solution)} />
      )}
      <nav class="actions" aria-label={t("Puzzles")}><Links puzzle={puzzle} /></nav>
    </>
  );
}

function Choices({ puzzle, open, choose }: { puzzle: Puzzle; open: readonly number[]; choose: (choice: number) => void }) {
  const { mixes, side } = puzzle;
  if (mixes.length) return <div class="mixes">{mixes.map((mix, index) => <button key={index} type="button" onClick={() => choose(index + 1)}>{mixName(mix)}</button>)}</div>;
  return (
    <fieldset class="picker" data-side={side}>
      <legend>{t("Your column")}</legend>
      <div class="columns" dir="ltr">
        {Array.from({ length: Number(puzzle.options.columns) }, (_, index) => index + 1).map((column) => (
          <button key={column} type="button" disabled={!open.includes(column)} onClick={() => choose(column)}><span class="unseen">{p("of a board", "Column")} </span><b>{column}</b></button>
        ))}
      </div>
    </fieldset>
  );
}

function Links({ puzzle: { number, count, daily } }: { puzzle: Puzzle }) {
  const [random] = useState(() => 1 + Math.floor(Math.random() * count));
  const at = (other: number) => `/puzzles/${other}${location.search}`;
  return (
    <>
      <a class="button main" href={at((number % count) + 1)}>{t("Next puzzle")}</a>
      <a class="button" href={at(random)}>{t("Random puzzle")}</a>
      {number !== daily && <a class="button" href={`/puzzles${location.search}`}>{t("Puzzle of the day")}</a>}
    </>
  );
}
