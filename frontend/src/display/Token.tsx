import type { Side } from "../protocol";
import { Coin } from "../board/Coin";
import { cross, tug } from "./motion";
import { during, useReel, type Frame } from "./reel";
import { placeOf } from "./sides";
import { CROSSING, FIGHTING, type Step } from "./timeline";
import { standing, type Standing, type View } from "./view";

const RADIUS = 66;
const BESIDE = 34;
const ARC = 210;
const HOP = 22;
const STEPS = { fight: 36, cross: 24 };

/** Steps that belong to the coin where it is fought over or passes. */
const MOVING: readonly (Step | undefined)[] = ["picks", "drops", "second", "token"];
const BEFORE: readonly (Step | undefined)[] = ["sealed", "pour"];

/** The token lies on its holder's side of the cabinet; in a conflict it is fought over, and crosses in front of it. */
export function Token({ view }: { view: View }) {
  const { plan, stage, phase } = view.scene;
  const stand = standing(view);
  const moves = MOVING.includes(stage?.step) && (plan?.inTurn || plan?.crosses) === true;
  const coin = useReel<HTMLDivElement>(view, stand && moves ? framesOf(view, stand) : []);
  const holder = holderOf(view);
  const resting = stand ? placed(stand, { x: restingX(view, stand, holder ?? "red") }) : "";
  const hidden = holder === null || phase === "ended";
  return <div class="token" ref={coin} data-hidden={hidden} data-crossing={moves} style={{ transform: resting }}><Coin /></div>;
}

function holderOf({ scene: { match, reveal, stage } }: View): Side | null {
  if (!stage || !reveal) return match?.board.token ?? null;
  const { token_before, token_after } = reveal.resolution;
  return BEFORE.includes(stage.step) ? token_before : token_after;
}

function framesOf(view: View, stand: Standing): Frame[] {
  const { plan, reveal } = view.scene;
  if (!plan || !reveal) return [];
  const { token_before, token_after } = reveal.resolution;
  const [from, to] = [token_before, token_after].map((side) => restingX(view, stand, side ?? "red")) as [number, number];
  const look = (pose: Pose) => ({ transform: placed(stand, pose) });
  const fought = during(FIGHTING, view.calm, STEPS.fight, (t) => look(tugged(from, view.calm ? 0 : t)));
  const crossed = during(CROSSING, view.calm, STEPS.cross, (t) => look(crossing(from, to, t)));
  return [
    { at: 0, ...look({ x: from }) },
    ...(plan.inTurn ? fought : []),
    ...(plan.crosses ? crossed : []),
    { at: 1, ...look({ x: plan.crosses ? to : from }) },
  ];
}

function tugged(x: number, progress: number): Pose {
  const pull = tug(progress);
  return { x, up: Math.abs(pull) * HOP, turned: pull * 50 };
}

function crossing(from: number, to: number, progress: number): Pose {
  const way = cross(progress);
  return { x: from + (to - from) * way, up: Math.sin(Math.PI * way) * ARC, turned: Math.sign(to - from) * way * 720 };
}

function restingX(view: View, stand: Standing, holder: Side): number {
  const away = stand.width / 2 + RADIUS + BESIDE;
  return placeOf(view.scene.match, holder) === 0 ? stand.centre - away : stand.centre + away;
}

interface Pose {
  x: number;
  up?: number;
  turned?: number;
}

function placed({ floor }: Standing, { x, up = 0, turned = 0 }: Pose): string {
  const y = floor - RADIUS - 2 - up;
  const place = `translate(calc(${(x - RADIUS).toFixed(1)} * var(--u)), calc(${(y - RADIUS).toFixed(1)} * var(--u)))`;
  return `${place} rotate(${turned.toFixed(1)}deg) scale(${(1 + (up / ARC) * 0.7).toFixed(3)})`;
}
