import { useEffect, useRef } from "preact/hooks";
import { centerY } from "../../board/geometry";
import type { Match } from "../../protocol";
import { landsAt } from "./motion";
import { matchWinner } from "../scene/scene";
import { sidePlace, type Place } from "../scene/places";
import type { Sound } from "./sound";
import { dropSpan, replayDropSpan, type Span } from "../scene/timeline";
import type { StageView } from "../scene/stageView";

const OVER_RIM = -52;
const LAST_MS = 5000;
/** Volume of the other team's ball on a team's own screen. */
const OTHER_TEAM_VOLUME = 0.4;

/** Plays sounds in sync with the picture; with reduced motion, at the same steps. */
export function useSoundCues(view: StageView, sound: Sound): void {
  const { scene, turnout, cheers } = view;
  const { phase, stage, turn, match } = scene;
  const second = phase === "voting" && scene.leftMs <= LAST_MS ? Math.ceil(scene.leftMs / 1000) : 0;
  const voted = turnout && turnout.turn === turn?.id ? ownCount(view, turnout.voted) : 0;
  useGrowth(voted, (more) => sound.water(more));
  useGrowth(ownCount(view, cheers.all), (more) => sound.water(more));
  useChange(second, () => second > 0 && sound.tick());
  useChange(phase === "sealed" || stage?.step === "sealed", (sealed) => sealed && sound.bell());
  useChange(view.home && phase === "ended" && match !== null && wonBy(match) === 0, (won) => won && sound.peal());
  useChange(stage?.step ?? "", (step) => {
    if (step === "token") sound.brass();
    if (step === "drops" || step === "second" || step === "replay") playLandings(view, sound);
  });
}

/** A team's own screen plays sounds only for its own votes. */
function ownCount({ home }: StageView, [left, right]: readonly [number, number]): number {
  return home ? left : left + right;
}

function wonBy(match: Match): Place | null {
  const winner = matchWinner(match);
  return winner && sidePlace(match, winner);
}

/** Plays each ball of this step when it lands. */
function playLandings({ scene, reducedMotion, now, home }: StageView, sound: Sound): void {
  const { plan, reveal, match, stage, call } = scene;
  if (!plan || !reveal || !match || !stage) return;
  const again = stage.step === "replay";
  if (again && call?.kind !== "conflict") return;
  const length = plan.steps.over;
  const rows = match.board.rows;
  reveal.resolution.drops.forEach(({ row, side }, index) => {
    if (row === null || (!again && (stage.step === "second") !== (plan.inTurn && index > 0))) return;
    const span: Span = again ? replayDropSpan(plan, index) : dropSpan(plan, index);
    const height = centerY(row, rows) - OVER_RIM;
    const share = reducedMotion ? span[0] : span[0] + (span[1] - span[0]) * landsAt(height, centerY(1, rows) - OVER_RIM);
    const loud = home && sidePlace(match, side) !== 0 ? OTHER_TEAM_VOLUME : 1;
    sound.wood((reveal.resolved_at + share * length - now()) / 1000, loud);
  });
}

function useGrowth(number: number, onChange: (more: number) => void): void {
  const before = useRef(number);
  useEffect(() => {
    if (number > before.current) onChange(number - before.current);
    before.current = number;
  }, [number]);
}

/** Ignores the first render: a page opened in the middle has missed the change. */
function useChange<Value>(value: Value, onChange: (value: Value) => void): void {
  const before = useRef(value);
  useEffect(() => {
    if (value === before.current) return;
    before.current = value;
    onChange(value);
  }, [value]);
}
