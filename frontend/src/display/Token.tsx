import { useLayoutEffect, useRef } from "preact/hooks";
import type { Side } from "../protocol";
import { Coin } from "../board/Coin";
import { cross, tug } from "./motion";
import { placeOf } from "./sides";
import { standing, useReveal, type Standing, type View } from "./view";

const RADIUS = 66;
const BESIDE = 34;
const ARC = 210;
const HOP = 22;

/** The token lies on its holder's side of the cabinet; in a conflict it is fought over, and crosses in front of it. */
export function Token({ view }: { view: View }) {
  const coin = useRef<HTMLDivElement>(null);
  const { scene } = view;
  const holder = scene.match?.board.token ?? null;
  const stand = standing(view);
  const at = (side: Side | null) => restingX(view, stand, side ?? "red");
  useLayoutEffect(() => {
    if (!scene.stage && stand) move(coin.current, stand, { x: at(holder) });
  });
  useReveal(view, ["picks", "token"], ({ fought, crossed }) => {
    const { token_before, token_after } = scene.reveal?.resolution ?? {};
    const way = cross(crossed);
    const [from, to] = [at(token_before ?? null), at(token_after ?? null)];
    const pull = tug(fought);
    const pose = { x: from + (to - from) * way, up: Math.sin(Math.PI * way) * ARC, turned: Math.sign(to - from) * way * 720 };
    if (stand) move(coin.current, stand, { ...pose, up: pose.up + Math.abs(pull) * HOP, turned: pose.turned + pull * 50 });
  });
  const hidden = holder === null || scene.phase === "ended";
  const moves = scene.stage?.step === "token" || (scene.stage?.step === "picks" && scene.plan?.inTurn === true);
  return <div class="token" ref={coin} data-hidden={hidden} data-crossing={moves}><Coin /></div>;
}

function restingX(view: View, stand: Standing | null, holder: Side): number {
  if (!stand) return 0;
  const away = stand.width / 2 + RADIUS + BESIDE;
  return placeOf(view.scene.match, holder) === 0 ? stand.centre - away : stand.centre + away;
}

interface Pose {
  x: number;
  up?: number;
  turned?: number;
}

function move(coin: HTMLElement | null, { floor }: Standing, { x, up = 0, turned = 0 }: Pose) {
  if (!coin) return;
  const y = floor - RADIUS - 2 - up;
  const place = `translate(calc(${x - RADIUS} * var(--u)), calc(${y - RADIUS} * var(--u)))`;
  coin.style.transform = `${place} rotate(${turned}deg) scale(${1 + (up / ARC) * 0.7})`;
}
