import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { EventState, TeamCounted, TurnSealed, TurnoutCounted } from "../../protocol";
import { boardHeight, boardWidth } from "../../board/geometry";
import { FLOOR, REVEAL_SCALE, boardScale, openVoteScale, stageSize, type FooterLayout, type StageSize } from "./layout";
import { jumpToEnd } from "../reveal/motion";
import type { MarkedDrop } from "../particles/dropMarks";
import type { ChangeNotice } from "../captions/changeNotices";
import { nextChange, sceneAt, type Scene } from "./scene";
import { type RevealProgress, type TimelineStep } from "./timeline";

/** The data that the parts of the stage are drawn from. `now` returns the server's time. */
export interface StageView {
  state: EventState;
  scene: Scene;
  turnout: TurnoutCounted | null;
  joinUrl: string;
  sealed: TurnSealed | null;
  /** The votes so far, in an open vote. */
  counts: TeamCounted | null;
  notice: ChangeNotice | null;
  size: StageSize;
  /** The text above the footer: the organizer's message, or the schedule. */
  message: string;
  foot: FooterLayout;
  /** How much higher than usual the footer is. */
  lift: number;
  cheers: Cheers;
  witnesses: readonly string[];
  /** The drops that voters want to find. */
  marked: readonly MarkedDrop[];
  /** Draw the board as seen from behind. */
  back: boolean;
  /** Whether this is the screen of the team in its left half. */
  home: boolean;
  reducedMotion: boolean;
  now: () => number;
}

/** Cheers (taps in the lobby and after a match): all so far, and those of the last second, one number per team. */
export interface Cheers {
  all: readonly [number, number];
  latest: readonly [number, number];
}

/** The current scene; renders again exactly when it changes. */
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

/** Draws the reveal on every render, and on every frame during the `moving` steps. */
export function useReveal(view: StageView, moving: readonly TimelineStep[], draw: (stage: RevealProgress) => void): void {
  useLayoutEffect(() => {
    const stage = progressNow(view);
    if (!stage) return;
    draw(stage);
    if (view.reducedMotion || !moving.includes(stage.step)) return;
    let frame = requestAnimationFrame(function next() {
      const stage = progressNow(view);
      if (!stage) return;
      draw(stage);
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  });
}

export function progressNow({ state, now, reducedMotion }: StageView): RevealProgress | null {
  const { stage } = sceneAt(state, now());
  return stage && reducedMotion ? inPlace(stage) : stage;
}

function inPlace(stage: RevealProgress): RevealProgress {
  return { ...stage, poured: jumpToEnd(stage.poured), losingLit: jumpToEnd(stage.losingLit), winningLit: jumpToEnd(stage.winningLit) };
}

/** Also draws again once fonts are loaded, because names are measured. */
export function useStageSize(): StageSize {
  const [size, setSize] = useState(() => stageSize(innerWidth, innerHeight));
  useEffect(() => {
    const measure = () => setSize(stageSize(innerWidth, innerHeight));
    addEventListener("resize", measure);
    document.fonts.addEventListener("loadingdone", measure);
    return () => {
      removeEventListener("resize", measure);
      document.fonts.removeEventListener("loadingdone", measure);
    };
  }, []);
  document.documentElement.style.setProperty("--u", `${size.unit}px`);
  return size;
}

const REDUCED_MOTION = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the user prefers reduced motion. */
export function useReducedMotion(): boolean {
  const [reducedMotion, setReducedMotion] = useState(REDUCED_MOTION.matches);
  useEffect(() => {
    const changed = () => setReducedMotion(REDUCED_MOTION.matches);
    REDUCED_MOTION.addEventListener("change", changed);
    return () => REDUCED_MOTION.removeEventListener("change", changed);
  }, []);
  return reducedMotion;
}

/** The board's place in stage units: its center, its bottom edge, and its width and height on the screen. */
export interface GridPlacement {
  center: number;
  floor: number;
  width: number;
  height: number;
  scale: number;
}

const END_MARGIN = 56;
const END_SHARE = 0.44;

export function gridPlacement({ scene, size, lift }: StageView): GridPlacement | null {
  const board = scene.match?.board;
  if (!board) return null;
  const own = { width: boardWidth(board), height: boardHeight(board) };
  const full = boardScale(size.width, lift, own);
  const ended = scene.phase === "ended";
  const smaller = Math.min(1, (size.width * END_SHARE) / (own.width * full));
  const scale = isOpenVote(scene) ? openVoteScale(full) : full * (ended ? smaller : isBoardShrunk(scene) ? REVEAL_SCALE : 1);
  const width = own.width * scale;
  const aside = END_MARGIN + width / 2;
  const center = !ended ? size.width / 2 : document.dir === "rtl" ? aside : size.width - aside;
  return { center, floor: FLOOR - lift, width, height: own.height * scale, scale };
}

/**
 * Whether the board is drawn smaller, to leave room for the bars above it: until its balls have landed or, in a special
 * turn, until they are about to fall.
 */
export function isBoardShrunk({ phase, stage, plan, call }: Scene): boolean {
  if (phase !== "reveal" || !stage || !plan) return false;
  if (stage.step === "replay") return call?.kind === "count";
  return ["pour", "picks"].includes(stage.step) || (plan.steps.hold === null && ["drops", "second"].includes(stage.step));
}

/** Whether the votes of this window are public while it is open. */
export function isOpenVote({ phase, match }: Scene): boolean {
  return match?.board.vote === "open" && ["voting", "paused", "sealed"].includes(phase);
}

/** Whether the stage is dimmed. */
export function isDimmed({ phase }: Scene): boolean {
  return phase === "sealed" || phase === "reveal" || phase === "paused";
}
