import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { EventState, TeamCounted, TurnSealed, TurnoutCounted } from "../protocol";
import { cabinetHeight, cabinetWidth } from "../board/geometry";
import { FLOOR, MAKES_ROOM, STEPPED_BACK, cabinetScale, stageSize, type Foot, type StageSize } from "./layout";
import { still } from "./motion";
import type { Notice } from "./notices";
import { nextChange, sceneAt, winnerOf, type Scene } from "./scene";
import { type Stage, type Step } from "./timeline";

/** Everything a part of the stage draws from. `now` tells the server's time. */
export interface View {
  state: EventState;
  scene: Scene;
  turnout: TurnoutCounted | null;
  joinUrl: string;
  sealed: TurnSealed | null;
  /** Of an open vote, so far. */
  counts: TeamCounted | null;
  notice: Notice | null;
  size: StageSize;
  foot: Foot;
  /** How much higher than usual the foot stands. */
  lift: number;
  cheers: Cheers;
  /** The board as it is seen from behind. */
  back: boolean;
  /** Whether it is the screen of the team in its left half. */
  home: boolean;
  calm: boolean;
  now: () => number;
}

/** Presses of the warm-up: all so far, and those of the last second, a number a team. */
export interface Cheers {
  all: readonly [number, number];
  latest: readonly [number, number];
}

/** The scene of this moment; draws again exactly when it becomes another. */
export function useScene(state: EventState, now: () => number): Scene {
  const [, again] = useState(0);
  const drawn = now();
  useEffect(() => {
    const at = nextChange(state, drawn);
    if (at === null) return;
    const timer = setTimeout(() => again((n) => n + 1), Math.max(0, at - now()) + 2);
    return () => clearTimeout(timer);
  });
  return sceneAt(state, drawn);
}

/** Draws the reveal at every render, and at every frame while one of the `moving` steps lasts. */
export function useReveal(view: View, moving: readonly Step[], draw: (stage: Stage) => void): void {
  useLayoutEffect(() => {
    const stage = stageNow(view);
    if (!stage) return;
    draw(stage);
    if (view.calm || !moving.includes(stage.step)) return;
    let frame = requestAnimationFrame(function next() {
      const stage = stageNow(view);
      if (!stage) return;
      draw(stage);
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  });
}

export function stageNow({ state, now, calm }: View): Stage | null {
  const { stage } = sceneAt(state, now());
  return stage && calm ? inPlace(stage) : stage;
}

function inPlace(stage: Stage): Stage {
  return { ...stage, poured: still(stage.poured), lit: still(stage.lit) };
}

export function useStageSize(): StageSize {
  const [size, setSize] = useState(() => stageSize(innerWidth, innerHeight));
  useEffect(() => {
    const measure = () => setSize(stageSize(innerWidth, innerHeight));
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  document.documentElement.style.setProperty("--u", `${size.unit}px`);
  return size;
}

const CALM = matchMedia("(prefers-reduced-motion: reduce)");

export function useCalm(): boolean {
  const [calm, setCalm] = useState(CALM.matches);
  useEffect(() => {
    const changed = () => setCalm(CALM.matches);
    CALM.addEventListener("change", changed);
    return () => CALM.removeEventListener("change", changed);
  }, []);
  return calm;
}

/** Where the cabinet stands, in stage units: its centre, its floor, its width and height on the screen. */
export interface Standing {
  centre: number;
  floor: number;
  width: number;
  height: number;
  scale: number;
}

const END_MARGIN = 56;
const END_SHARE = 0.44;

export function standing({ scene, size, lift }: View): Standing | null {
  const board = scene.match?.board;
  if (!board) return null;
  const own = { width: cabinetWidth(board), height: cabinetHeight(board) };
  const full = cabinetScale(size.width, lift, own);
  const won = isWon(scene);
  const aside = Math.min(1, (size.width * END_SHARE) / (own.width * full));
  const scale = full * (won ? aside : isBack(scene) ? STEPPED_BACK : isOpenVote(scene) ? MAKES_ROOM : 1);
  const width = own.width * scale;
  const centre = won ? size.width - END_MARGIN - width / 2 : size.width / 2;
  return { centre, floor: FLOOR - lift, width, height: own.height * scale, scale };
}

/** Whether the cabinet steps back to leave room for what is told above it. */
export function isBack({ phase, stage }: Scene): boolean {
  return phase === "reveal" && stage?.step !== "sealed";
}

/** Whether everybody sees the votes of this window as they come. */
export function isOpenVote({ phase, match }: Scene): boolean {
  return match?.board.vote === "open" && ["voting", "paused", "sealed"].includes(phase);
}

/** A match that somebody won makes room for the winner; after any other end the stage stays as it was. */
export function isWon({ phase, match }: Scene): boolean {
  return phase === "ended" && match !== null && winnerOf(match) !== null;
}

/** Whether the light has fallen. */
export function isDark({ phase }: Scene): boolean {
  return phase === "sealed" || phase === "reveal" || phase === "paused";
}
