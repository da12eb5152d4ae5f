import { useLayoutEffect, useRef } from "preact/hooks";
import type { Side } from "../protocol";
import { Coin } from "../board/Coin";
import { FLOOR } from "./layout";
import { cross } from "./motion";
import { placeOf } from "./sides";
import { standing, useReveal, type View } from "./view";

const RADIUS = 66;
const BESIDE = 34;
const ARC = 210;

/** The token lies on its holder's side of the cabinet; after a conflict it crosses over in front of it. */
export function Token({ view }: { view: View }) {
  const coin = useRef<HTMLDivElement>(null);
  const { scene } = view;
  const holder = scene.match?.board.token ?? null;
  const at = (side: Side | null) => restingX(view, side ?? "red");
  useLayoutEffect(() => {
    if (!scene.stage) move(coin.current, at(holder), 0);
  });
  useReveal(view, ["token"], ({ crossed }) => {
    const { token_before, token_after } = scene.reveal?.resolution ?? {};
    const way = cross(crossed);
    const [from, to] = [at(token_before ?? null), at(token_after ?? null)];
    move(coin.current, from + (to - from) * way, Math.sin(Math.PI * way), Math.sign(to - from) * way);
  });
  const hidden = holder === null || scene.phase === "ended";
  return <div class="token" ref={coin} data-hidden={hidden} data-crossing={scene.stage?.step === "token"}><Coin /></div>;
}

function restingX(view: View, holder: Side): number {
  const stand = standing(view);
  if (!stand) return 0;
  const away = stand.width / 2 + RADIUS + BESIDE;
  return placeOf(view.scene.match, holder) === 0 ? stand.centre - away : stand.centre + away;
}

function move(coin: HTMLElement | null, x: number, height: number, turned = 0) {
  if (!coin) return;
  const y = FLOOR - RADIUS - 2 - ARC * height;
  const place = `translate(calc(${x - RADIUS} * var(--u)), calc(${y - RADIUS} * var(--u)))`;
  coin.style.transform = `${place} rotate(${turned * 720}deg) scale(${1 + height * 0.7})`;
}
