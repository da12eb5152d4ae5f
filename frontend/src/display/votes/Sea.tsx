import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatNumber } from "../../live/format";
import { RisingDrops, CheerSplash } from "./WaterDrops";
import { HEIGHT, fitNumber, waterline } from "../scene/layout";
import { sideShownAtPlace, type Place } from "../scene/places";
import { waterLevel, type WaterLevel } from "./tide";
import { isDark, isOpenVote, useReveal, type StageView } from "../scene/stageView";

const PERIOD = 480;
const SWELL = 15;
const TROUGHS = [[PERIOD * 0.3, 84], [PERIOD * 0.68, 196], [PERIOD * 0.12, 330]] as const;
const LAST_MS = 5000;
const QUICK = 3;
/**
 * A side's turnout as water: its surface shows the share of its voters that has voted. `beside`: the width left for
 * numbers.
 */
export function Sea({ view, place, beside }: { view: StageView; place: Place; beside: number }) {
  const level = useRef<HTMLDivElement>(null);
  const { scene } = view;
  const counted = waterLevel(view, place);
  const put = (share: number) => {
    if (level.current) level.current.style.transform = `translateY(calc(${waterline(share, view.lift)} * var(--u)))`;
  };
  useLayoutEffect(() => {
    if (!scene.stage) put(counted.share);
  });
  useReveal(view, ["pour"], ({ poured }) => put(counted.share * (1 - poured)));
  usePlaybackRate(level, scene.phase === "voting" && scene.leftMs <= LAST_MS && counted.awake ? QUICK : 1);
  return (
    <div class="sea" data-place={place} data-side={sideShownAtPlace({ state: view.state, match: scene.match }, place)} data-awake={counted.awake} data-lobby={scene.phase === "lobby"} data-dark={isDark(scene) || isOpenVote(scene)}>
      <div class="level" ref={level} data-pouring={scene.stage !== null && scene.stage.step !== "sealed"}>
        <Water width={HEIGHT * 2} />
        {scene.phase === "voting" && !counted.silent && <RisingDrops number={counted.number} calm={view.calm} />}
        {(scene.phase === "lobby" || scene.phase === "ended") && <CheerSplash cheers={view.cheers.all[place]} calm={view.calm} />}
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

/** The swell loops forever. Near the deadline its speed increases without a jump. */
function usePlaybackRate(level: { current: HTMLElement | null }, rate: number) {
  useEffect(() => {
    for (const wave of level.current?.querySelectorAll(".wave") ?? [])
      for (const swell of wave.getAnimations()) swell.updatePlaybackRate(rate);
  }, [rate]);
}

const BUOY = 132;
const BUOY_MARGINS = 76;
const HOOKS: Partial<Record<WaterLevel["word"], string>> = { joined: "data-joined", voted: "data-turnout", won: "data-won" };

/** The number floats above the water's surface and is never covered by it. */
function Buoy({ number, word, of, silent, place, beside }: WaterLevel & { place: Place; beside: number }) {
  const text = formatNumber(number);
  const room = beside - BUOY_MARGINS;
  const fontSize = `calc(${fitNumber(text, room, BUOY)} * var(--u))`;
  const hook = { [HOOKS[word] ?? "data-silent"]: place + 1 };
  return (
    <div class="buoy" style={{ "--room": `calc(${room} * var(--u))` }}>
      {!silent && <b style={{ fontSize }} {...hook}>{text}</b>}
      <span>{of ? `of ${formatNumber(of)} ${word}` : word}</span>
    </div>
  );
}
