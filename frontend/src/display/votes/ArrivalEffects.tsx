import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { FOOTER_HEIGHT, HEIGHT, NO_TURNOUT_Y } from "../scene/layout";

const MAX_DROPS = 16;
/** A drop is not restarted before it has risen: two animations of one element would leave the compositor. */
const POOL = 40;
const DEPTH = HEIGHT - FOOTER_HEIGHT - NO_TURNOUT_Y + 130;

/** Vote animation: the votes of one second rise together as drops; nothing shows which column they are for. */
export function ArrivingVotes({ number, reducedMotion }: { number: number; reducedMotion: boolean }) {
  const drops = useDropPool(number, reducedMotion, POOL, (more) => Math.min(MAX_DROPS, Math.ceil(Math.sqrt(more) * 1.6)), rise);
  return <DropPool drops={drops} size={POOL} />;
}

const SPLASHES = 14;
const SPLASH_POOL = 28;

/** Cheer animation: taps splash out of the water. */
export function ArrivingCheers({ cheers, reducedMotion }: { cheers: number; reducedMotion: boolean }) {
  const drops = useDropPool(cheers, reducedMotion, SPLASH_POOL, (more) => Math.min(SPLASHES, more), leap);
  return <DropPool drops={drops} size={SPLASH_POOL} />;
}

function DropPool({ drops, size }: { drops: RefObject<HTMLDivElement | null>; size: number }) {
  return (
    <div class="rising" ref={drops} aria-hidden="true">
      {Array.from({ length: size }, (_, n) => <i key={n} />)}
    </div>
  );
}

/** Animates some drops of a pool whenever `number` has grown. */
function useDropPool(number: number, reducedMotion: boolean, pool: number, some: (more: number) => number, set: (drop: Element | undefined) => void) {
  const drops = useRef<HTMLDivElement>(null);
  const before = useRef(number);
  const next = useRef(0);
  useEffect(() => {
    const more = number - before.current;
    before.current = number;
    const room = drops.current;
    if (more <= 0 || reducedMotion || !room) return;
    for (let n = some(more); n > 0; n--) set(room.children[next.current++ % pool]);
  }, [number]);
  return drops;
}

const RISE_MS = 1700;

/** All drops of one second start and end together, whatever their path: every start and end costs a frame. */
function rise(drop: Element | undefined) {
  const x = 4 + Math.random() * 88;
  const size = 0.5 + Math.random();
  const [from, until] = [Math.random() * 0.3, 0.75 + Math.random() * 0.25];
  const at = (y: number, scale: number) => placed(x, y, scale);
  drop?.animate(
    [
      { transform: at(DEPTH, size * 0.6), opacity: 0 },
      { transform: at(DEPTH, size * 0.6), opacity: 0, offset: from },
      { transform: at(DEPTH * 0.7, size), opacity: 0.9, offset: from + 0.12 },
      { transform: at(6, size), opacity: 0.9, offset: until - 0.08 },
      { transform: at(-26, size * 0.3), opacity: 0, offset: until },
      { transform: at(-26, size * 0.3), opacity: 0 },
    ],
    RISE_MS,
  );
}

const LEAP_MS = 950;
const HIGH = { least: 40, more: 170 };

/** Moves a drop in an arc out of the surface and back. */
function leap(drop: Element | undefined) {
  const [x, drift] = [8 + Math.random() * 80, (Math.random() - 0.5) * 14];
  const [high, size] = [HIGH.least + HIGH.more * Math.random(), 0.7 + Math.random() * 1.3];
  const from = Math.random() * 0.25;
  const arc = [0, 0.2, 0.4, 0.6, 0.8, 1].map((t) => ({
    transform: placed(x + drift * t, 10 - high * 4 * t * (1 - t), size),
    opacity: t < 1 ? 0.95 : 0,
    offset: from + (1 - from) * t,
  }));
  drop?.animate([{ transform: placed(x, 10, size), opacity: 0 }, ...arc], LEAP_MS);
}

/** `x` in hundredths of the water's width, `y` in stage units below its surface. */
function placed(x: number, y: number, scale: number): string {
  return `translate(calc(${x} * var(--pane) / 100), calc(${y} * var(--u))) scale(${scale})`;
}
