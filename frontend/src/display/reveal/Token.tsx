import { p } from "../../live/i18n";
import type { Side } from "../../protocol";
import { Coin } from "../parts/Coin";
import { easeInOut, swing } from "./motion";
import { framesDuring, useRevealAnimation, type RevealFrame } from "./revealAnimation";
import { sidePlace } from "../scene/places";
import { tokenReceiver } from "../../live/match/phase";
import { fighting, recounting, tokenFlare, tokenPassing, type TimelineStep } from "../scene/timeline";
import { gridPlacement, type GridPlacement, type StageView } from "../scene/stageView";

const RADIUS = 66;
const BESIDE = 34;
const ARC = 210;
const HOP = 22;
const STEPS = { fight: 36, flare: 12, pass: 24 };

/** Steps in which the token moves: it is contested or changes sides. */
const MOVING: readonly (TimelineStep | undefined)[] = ["picks", "hold", "drops", "second", "lines", "verdict", "token"];
const AFTER: readonly TimelineStep[] = ["token", "replay", "over"];
const LABEL_GAP = -14;

/**
 * The initiative token, on its holder's side of the board. In a conflict it is contested. If it decides between the
 * lines of both sides, it flares where it lies. It may change sides in front of the board after the verdict.
 */
export function Token({ view }: { view: StageView }) {
  const { plan, stage, phase } = view.scene;
  const placement = gridPlacement(view);
  const moves = MOVING.includes(stage?.step) && (plan?.inTurn || plan?.steps.token !== null);
  const coin = useRevealAnimation<HTMLDivElement>(view, placement && moves ? tokenFrames(view, placement) : []);
  const holder = tokenHolder(view);
  const resting = placement ? placed(placement, { x: restingX(view, placement, holder ?? "red") }) : "";
  const hidden = holder === null || phase === "ended";
  return (
    <>
      <div class="token" ref={coin} data-hidden={hidden} data-passing={moves} style={{ transform: resting }}><Flare view={view} /><Coin /></div>
      {placement && holder && !hidden && phase !== "reveal" && <TokenLabel view={view} placement={placement} holder={holder} />}
    </>
  );
}

/** Above the coin, where it also fits between the board and the edge of a narrow stage. */
function TokenLabel({ view, placement, holder }: { view: StageView; placement: GridPlacement; holder: Side }) {
  const top = placement.floor - 2 * RADIUS - LABEL_GAP;
  return <b class="token-label" style={{ left: `calc(${restingX(view, placement, holder)} * var(--u))`, top: `calc(${top} * var(--u))` }}>{p("coin", "token")}</b>;
}

/** The light around the token that grows before the verdict and stays until the replay. */
function Flare({ view }: { view: StageView }) {
  const { plan } = view.scene;
  const span = plan && tokenFlare(plan);
  const ends = plan?.replay ? recounting(plan)[0] : 1;
  const look = (t: number) => ({ transform: `scale(${(0.4 + 0.6 * t).toFixed(3)})`, opacity: t });
  const light = useRevealAnimation<HTMLSpanElement>(view, span ? [{ at: 0, ...look(0) }, ...framesDuring(span, view.reducedMotion, STEPS.flare, look), { at: ends, ...look(1) }, { at: ends, ...look(0) }] : []);
  return <span class="flare" ref={light} />;
}

function tokenHolder({ scene: { match, reveal, stage } }: StageView): Side | null {
  if (!stage || !reveal) return match?.board.token ?? null;
  const receiver = AFTER.includes(stage.step) ? tokenReceiver(reveal.resolution) : null;
  return receiver ?? reveal.resolution.token_before;
}

function tokenFrames(view: StageView, placement: GridPlacement): RevealFrame[] {
  const { plan, reveal } = view.scene;
  if (!plan || !reveal) return [];
  const { token_before, token_after } = reveal.resolution;
  const [from, to] = [token_before, token_after].map((side) => restingX(view, placement, side ?? "red")) as [number, number];
  const look = (pose: Pose) => ({ transform: placed(placement, pose) });
  const passing = tokenPassing(plan);
  const fought = framesDuring(fighting(plan), view.reducedMotion, STEPS.fight, (t) => look(fightPose(from, view.reducedMotion ? 0 : t)));
  const passed = passing ? framesDuring(passing, view.reducedMotion, STEPS.pass, (t) => look(passingPose(from, to, t))) : [];
  return [
    { at: 0, ...look({ x: from }) },
    ...(plan.inTurn ? fought : []),
    ...passed,
    { at: 1, ...look({ x: passing ? to : from }) },
  ];
}

function fightPose(x: number, progress: number): Pose {
  const pull = swing(progress);
  return { x, up: Math.abs(pull) * HOP, turned: pull * 50 };
}

function passingPose(from: number, to: number, progress: number): Pose {
  const way = easeInOut(progress);
  return { x: from + (to - from) * way, up: Math.sin(Math.PI * way) * ARC, turned: Math.sign(to - from) * way * 720 };
}

function restingX(view: StageView, placement: GridPlacement, holder: Side): number {
  const away = placement.width / 2 + RADIUS + BESIDE;
  return sidePlace(view.scene.match, holder) === 0 ? placement.center - away : placement.center + away;
}

interface Pose {
  x: number;
  up?: number;
  turned?: number;
}

function placed({ floor }: GridPlacement, { x, up = 0, turned = 0 }: Pose): string {
  const y = floor - RADIUS - 2 - up;
  const place = `translate(calc(${(x - RADIUS).toFixed(1)} * var(--u)), calc(${(y - RADIUS).toFixed(1)} * var(--u)))`;
  return `${place} rotate(${turned.toFixed(1)}deg) scale(${(1 + (up / ARC) * 0.7).toFixed(3)})`;
}
