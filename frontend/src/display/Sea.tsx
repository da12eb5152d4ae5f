import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { thousands } from "../live/format";
import { DECK, HEIGHT, LOW_TIDE, fittedNumber, waterline } from "./layout";
import { sideOf, tallyOf, type Place } from "./sides";
import { isDark, isWon, useReveal, type View } from "./view";
import { series } from "./words";

const PERIOD = 480;
const SWELL = 15;
const TROUGHS = [[PERIOD * 0.3, 84], [PERIOD * 0.68, 196], [PERIOD * 0.12, 330]] as const;
const LAST_MS = 5000;
const QUICK = 3;
/** Leaves room for a team's name in five lines. */
const LOBBY_TIDE = 0.38;

/** A side's water: its surface stands as high as the share of its voters that has voted. `beside`: what is left for numbers. */
export function Sea({ view, place, beside }: { view: View; place: Place; beside: number }) {
  const level = useRef<HTMLDivElement>(null);
  const { scene } = view;
  const counted = count(view, place);
  const put = (share: number) => {
    if (level.current) level.current.style.transform = `translateY(calc(${waterline(share)} * var(--u)))`;
  };
  useLayoutEffect(() => {
    if (!scene.stage) put(counted.share);
  });
  useReveal(view, ["pour"], ({ poured }) => put(counted.share * (1 - poured)));
  usePace(level, scene.phase === "voting" && scene.leftMs <= LAST_MS && counted.awake ? QUICK : 1);
  return (
    <div class="sea" data-place={place} data-side={sideOf(scene.match, place)} data-awake={counted.awake} data-lobby={scene.phase === "lobby"} data-dark={isDark(scene)}>
      <div class="level" ref={level} data-pouring={scene.stage?.step === "pour"}>
        <Water width={HEIGHT * 2} />
        <Rising number={counted.number} calm={view.calm} />
        {counted.word && <Buoy {...counted} place={place} beside={beside} />}
      </div>
    </div>
  );
}

export function Water({ width }: { width: number }) {
  return (
    <div class="water" aria-hidden="true">
      <svg class="wave far" viewBox={`0 0 ${width} ${HEIGHT}`}><path d={wave(width, PERIOD / 4)} /></svg>
      <svg class="wave near" viewBox={`0 0 ${width} ${HEIGHT}`}>
        <path d={wave(width, 0)} />
        {TROUGHS.map(([x, y]) => <path key={y} class="trough" d={wave(width, x)} transform={`translate(0 ${y})`} />)}
      </svg>
    </div>
  );
}

function wave(width: number, from: number): string {
  const half = PERIOD / 2;
  let path = `M${-PERIOD + from} ${SWELL} `;
  for (let n = 0; n * half < width + 2 * PERIOD; n++) path += `q${half / 2} ${n % 2 ? 2 * SWELL : -2 * SWELL} ${half} 0 `;
  return `${path}V${HEIGHT} H${-PERIOD} Z`;
}

/** The swell goes round for ever; near the deadline it goes faster, without a jump. */
function usePace(level: { current: HTMLElement | null }, rate: number) {
  useEffect(() => {
    for (const wave of level.current?.querySelectorAll(".wave") ?? [])
      for (const swell of wave.getAnimations()) swell.updatePlaybackRate(rate);
  }, [rate]);
}

interface Count {
  number: number;
  share: number;
  word: string;
  awake: boolean;
}

const GONE: Count = { number: 0, share: 0, word: "", awake: false };

function count(view: View, place: Place): Count {
  const { scene, turnout } = view;
  const connected = turnout?.connected[place] ?? 0;
  if (scene.phase === "lobby")
    return { number: connected, share: Math.min(LOBBY_TIDE, Math.log10(1 + connected) / 8), word: "joined", awake: true };
  if (scene.phase === "ended") return endCount(view, place);
  return scene.phase === "reveal" ? sealedCount(view, place, connected) : openCount(view, place, connected);
}

/** After a draw both waters stand equally high and tell the score; a stopped match has let them run out. */
function endCount({ scene, state }: View, place: Place): Count {
  if (isWon(scene) || scene.match?.state === "aborted") return GONE;
  return { number: series(state)[place], share: 1, word: "won", awake: true };
}

function openCount({ scene, turnout }: View, place: Place, connected: number): Count {
  const { turn, match } = scene;
  if (!turn?.to_move.includes(sideOf(match, place))) return GONE;
  const number = turnout?.turn === turn.id ? turnout.voted[place] : 0;
  return { number, share: number / Math.max(1, number, connected), word: "voted", awake: true };
}

function sealedCount({ scene }: View, place: Place, connected: number): Count {
  const tally = tallyOf(scene.reveal, sideOf(scene.match, place));
  if (!tally) return GONE;
  const shown = scene.stage?.step === "sealed" || scene.stage?.step === "pour";
  const share = tally.ballots / Math.max(1, tally.ballots, connected);
  return { number: tally.ballots, share, word: shown ? "voted" : "", awake: true };
}

const BUOY = 132;
const BUOY_MARGINS = 76;

/** The number rides on the water and so never lies in it. */
function Buoy({ number, word, place, beside }: Count & { place: Place; beside: number }) {
  const text = thousands(number);
  const fontSize = `calc(${fittedNumber(text, beside - BUOY_MARGINS, BUOY)} * var(--u))`;
  const hook = { [word === "joined" ? "data-joined" : word === "won" ? "data-won" : "data-turnout"]: place + 1 };
  return (
    <div class="buoy">
      <b style={{ fontSize }} {...hook}>{text}</b>
      <span>{word}</span>
    </div>
  );
}

const MOST = 16;
/** No drop starts anew before it has risen: two animations of one element would leave the compositor. */
const POOL = 40;
const DEPTH = HEIGHT - DECK - LOW_TIDE + 130;

/** The votes of a second rise together; which column they are for is nowhere to be seen. */
function Rising({ number, calm }: { number: number; calm: boolean }) {
  const drops = useRef<HTMLDivElement>(null);
  const before = useRef(number);
  const next = useRef(0);
  useEffect(() => {
    const more = number - before.current;
    before.current = number;
    const room = drops.current;
    if (more <= 0 || calm || !room) return;
    const some = Math.min(MOST, Math.ceil(Math.sqrt(more) * 1.6));
    for (let n = 0; n < some; n++) rise(room.children[next.current++ % POOL]);
  }, [number]);
  return (
    <div class="rising" ref={drops} aria-hidden="true">
      {Array.from({ length: POOL }, (_, n) => <i key={n} />)}
    </div>
  );
}

const RISE_MS = 1700;

/** All drops of a second begin and end together, however they rise: every beginning and end costs a frame. */
function rise(drop: Element | undefined) {
  const x = 4 + Math.random() * 88;
  const size = 0.5 + Math.random();
  const [from, until] = [Math.random() * 0.3, 0.75 + Math.random() * 0.25];
  const at = (y: number, scale: number) => `translate(calc(${x} * var(--pane) / 100), calc(${y} * var(--u))) scale(${scale})`;
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
