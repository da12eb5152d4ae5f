import { centerY } from "../../board/geometry";
import type { CloseCall, Match, Reveal, Side } from "../../protocol";
import { landsAt } from "../reveal/motion";
import type { ScreenPhase } from "../scene/scene";
import { dropSpan, replayDropSpan, type RevealPlan, type Span } from "../scene/timeline";

/** What sounds and when: pure functions of what the screen shows. */

/** A short figure that stands for one event. */
export type Motif = "seal" | "conflict" | "close" | "drop" | "token" | "block" | "roll" | "win";

/** A motif, the milliseconds from the resolution of the turn to its start, and its volume from 0 to 1. */
export interface Cue {
  motif: Motif;
  at: number;
  volume: number;
}

export interface ScoredReveal {
  reveal: Reveal;
  plan: RevealPlan;
  call: CloseCall | null;
  match: Match;
  reducedMotion: boolean;
  /** The side whose team this screen belongs to. */
  home: Side | null;
}

/** The drum roll ends with the verdict. */
export const ROLL_MS = 1600;
const OVER_RIM = -52;
/** Volume of the other team's ball on a team's own screen. */
const OTHER_TEAM_VOLUME = 0.4;

/** The motifs of a reveal: one for each of its events, at the step in which the screen shows it. */
export function revealScore(scored: ScoredReveal): Cue[] {
  const { reveal, call, home } = scored;
  const { steps } = scored.plan;
  const { conflict, block, result } = reveal.resolution;
  const won = result === "red" || result === "yellow";
  const cues = dropCues(scored);
  const add = (motif: Motif, at: number) => cues.push({ motif, at, volume: 1 });
  if (conflict !== null) add("conflict", steps.picks);
  if (call?.kind === "count") add("close", steps.replay ?? steps.pour);
  if (steps.token !== null) add("token", steps.token);
  // Silent on the screen of the team that lost.
  if (steps.verdict !== null) add("roll", steps.verdict - ROLL_MS);
  if (won && (home === null || home === result)) add("win", steps.verdict ?? steps.lines);
  else if (!won && block) add("block", steps.lines);
  return cues.sort((one, other) => one.at - other.at);
}

/** A soft sound for every ball that lands, also in the replay of a conflict. */
function dropCues(scored: ScoredReveal): Cue[] {
  const { reveal, plan } = scored;
  return reveal.resolution.drops.flatMap(({ row, side }, index) => {
    if (row === null) return [];
    const spans = [dropSpan(plan, index), ...(plan.replay === "conflict" ? [replayDropSpan(plan, index)] : [])];
    const volume = scored.home && side !== scored.home ? OTHER_TEAM_VOLUME : 1;
    return spans.map((span): Cue => ({ motif: "drop", at: landing(scored, span, row) * plan.steps.over, volume }));
  });
}

/** When a ball touches down, as a share of the reveal. With reduced motion, it is in place at once. */
function landing({ match, reducedMotion }: ScoredReveal, [from, to]: Span, row: number): number {
  if (reducedMotion) return from;
  const { rows } = match.board;
  return from + (to - from) * landsAt(centerY(row, rows) - OVER_RIM, centerY(1, rows) - OVER_RIM);
}

const HURRY_MS = 10_000;
/** A window of hours or days is silent until its last minutes. */
const SILENT_BEFORE_MS = 600_000;
const BED = { least: 0.2, turnout: 0.4, hurry: 0.4, ducked: 0.08 };

/** The level of the bed in an open window, from 0 to 1. It grows with the turnout and in the last seconds. */
export function bedLevel(turnout: number, leftMs: number): number {
  if (leftMs > SILENT_BEFORE_MS) return 0;
  const hurry = Math.min(1, Math.max(0, 1 - leftMs / HURRY_MS));
  return BED.least + BED.turnout * Math.min(1, Math.max(0, turnout)) + BED.hurry * hurry;
}

/** The level of the bed in any phase. It ducks under the motifs of a reveal, and stops in a pause. */
export function bedTarget(phase: ScreenPhase, turnout: number, leftMs: number): number {
  if (phase === "voting") return bedLevel(turnout, leftMs);
  return phase === "sealed" || phase === "reveal" ? BED.ducked : 0;
}
