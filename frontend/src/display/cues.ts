import { useEffect, useRef } from "preact/hooks";
import { centreY } from "../board/geometry";
import type { Match } from "../protocol";
import { landsAt } from "./motion";
import { winnerOf } from "./scene";
import { placeOf, type Place } from "./sides";
import type { Sound } from "./sound";
import { dropping, droppingAgain, type Span } from "./timeline";
import type { View } from "./view";

const OVER_RIM = -52;
const LAST_MS = 5000;
/** How loud the other team's ball is on a team's own screen. */
const THEIRS = 0.4;

/** What is heard at what is seen; without motion at the same moments of the order. */
export function useCues(view: View, sound: Sound): void {
  const { scene, turnout, cheers } = view;
  const { phase, stage, turn, match } = scene;
  const second = phase === "voting" && scene.leftMs <= LAST_MS ? Math.ceil(scene.leftMs / 1000) : 0;
  const voted = turnout && turnout.turn === turn?.id ? ours(view, turnout.voted) : 0;
  useGrowth(voted, (more) => sound.water(more));
  useGrowth(ours(view, cheers.all), (more) => sound.water(more));
  useChange(second, () => second > 0 && sound.tick());
  useChange(phase === "sealed" || stage?.step === "sealed", (sealed) => sealed && sound.bell());
  useChange(view.home && phase === "ended" && match !== null && wonBy(match) === 0, (won) => won && sound.peal());
  useChange(stage?.step ?? "", (step) => {
    if (step === "token") sound.brass();
    if (step === "drops" || step === "second" || step === "replay") knock(view, sound);
  });
}

/** A team's own screen is loud for its own votes. */
function ours({ home }: View, [left, right]: readonly [number, number]): number {
  return home ? left : left + right;
}

function wonBy(match: Match): Place | null {
  const winner = winnerOf(match);
  return winner && placeOf(match, winner);
}

/** Each ball that sets out at this step is heard when it lands. */
function knock({ scene, calm, now, home }: View, sound: Sound): void {
  const { plan, reveal, match, stage, call } = scene;
  if (!plan || !reveal || !match || !stage) return;
  const again = stage.step === "replay";
  if (again && call?.kind !== "conflict") return;
  const length = match.reveal_s * 1000;
  const rows = match.board.rows;
  reveal.resolution.drops.forEach(({ row, side }, index) => {
    if (row === null || (!again && (stage.step === "second") !== (plan.inTurn && index > 0))) return;
    const span: Span = again ? droppingAgain(index) : dropping(plan, index);
    const height = centreY(row, rows) - OVER_RIM;
    const share = calm ? span[0] : span[0] + (span[1] - span[0]) * landsAt(height, centreY(1, rows) - OVER_RIM);
    const loud = home && placeOf(match, side) !== 0 ? THEIRS : 1;
    sound.wood((reveal.resolved_at + share * length - now()) / 1000, loud);
  });
}

function useGrowth(number: number, heard: (more: number) => void): void {
  const before = useRef(number);
  useEffect(() => {
    if (number > before.current) heard(number - before.current);
    before.current = number;
  }, [number]);
}

/** Not at the first look: whoever opens the page in the middle has missed it. */
function useChange<Value>(value: Value, heard: (value: Value) => void): void {
  const before = useRef(value);
  useEffect(() => {
    if (value === before.current) return;
    before.current = value;
    heard(value);
  }, [value]);
}
