import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatNumber } from "../../live/format";
import { ArrivingVotes, ArrivingCheers } from "./ArrivalEffects";
import { HEIGHT, fitNumber, turnoutY } from "../scene/layout";
import { showsParticles } from "../particles/particleSupport";
import { sideShownAtPlace, type Place } from "../scene/places";
import { turnoutLevel, turnoutText, type TurnoutLevel } from "./turnoutLevel";
import { isDimmed, isOpenVote, useReveal, type StageView } from "../scene/stageView";

const PERIOD = 480;
const SWELL = 15;
const TROUGHS = [[PERIOD * 0.3, 84], [PERIOD * 0.68, 196], [PERIOD * 0.12, 330]] as const;
/** The heights of the moving crests; both end where the still depth begins. */
const CREST = { near: 32, far: 46 };
const LAST_MS = 5000;
const QUICK = 3;

/**
 * The turnout bar of a side, drawn as water: its height is the share of voters that has voted. `beside`: the width left
 * for the number. `labeled`: show the number here.
 */
export function TurnoutBar({ view, place, beside, labeled }: { view: StageView; place: Place; beside: number; labeled: boolean }) {
  const level = useRef<HTMLDivElement>(null);
  const { scene } = view;
  const counted = turnoutLevel(view, place);
  const put = (share: number) => {
    if (level.current) level.current.style.transform = `translateY(calc(${turnoutY(share, view.lift)} * var(--u)))`;
  };
  useLayoutEffect(() => {
    if (!scene.stage) put(counted.share);
  });
  useReveal(view, ["pour"], ({ poured }) => put(counted.share * (1 - poured)));
  usePlaybackRate(level, scene.phase === "voting" && scene.leftMs <= LAST_MS && counted.isActive ? QUICK : 1);
  return (
    <div class="turnout-bar" data-place={place} data-side={sideShownAtPlace({ state: view.state, match: scene.match }, place)} data-active={counted.isActive} data-lobby={scene.phase === "lobby"} data-dark={isDimmed(scene) || isOpenVote(scene)}>
      <div class="level" ref={level} data-pouring={scene.stage !== null && scene.stage.step !== "sealed"}>
        <Water width={HEIGHT * 2} />
        {scene.phase === "voting" && !counted.isNumberHidden && !showsParticles(view) && <ArrivingVotes number={counted.number} reducedMotion={view.reducedMotion} />}
        {(scene.phase === "lobby" || scene.phase === "ended") && <ArrivingCheers cheers={view.cheers.all[place]} reducedMotion={view.reducedMotion} />}
        {labeled && counted.word && <TurnoutLabel {...counted} place={place} beside={beside} />}
      </div>
    </div>
  );
}

/**
 * Animated water, which fills a turnout bar or the result screen. Only the two crests move: moving all of the water
 * would draw half of the screen anew in every frame.
 */
export function Water({ width }: { width: number }) {
  return (
    <div class="water" aria-hidden="true">
      <Crest width={width} from={PERIOD / 4} height={CREST.far} far />
      <Crest width={width} from={0} height={CREST.near} />
      <svg class="depth" viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="xMinYMin slice">
        <rect width={width} height={HEIGHT} />
        {TROUGHS.map(([x, y]) => <path key={y} class="trough" d={wave(width, x, HEIGHT)} transform={`translate(0 ${y - CREST.near})`} />)}
      </svg>
    </div>
  );
}

function Crest({ width, from, height, far = false }: { width: number; from: number; height: number; far?: boolean }) {
  return <svg class={far ? "wave far" : "wave"} viewBox={`0 0 ${width} ${height}`}><path d={wave(width, from, height)} /></svg>;
}

function wave(width: number, from: number, bottom: number): string {
  const half = PERIOD / 2;
  let path = `M${-PERIOD + from} ${SWELL} `;
  for (let n = 0; n * half < width + 2 * PERIOD; n++) path += `q${half / 2} ${n % 2 ? 2 * SWELL : -2 * SWELL} ${half} 0 `;
  return `${path}V${bottom} H${-PERIOD} Z`;
}

/** The waves are an endless loop. Near the deadline its speed increases without a jump. */
function usePlaybackRate(level: { current: HTMLElement | null }, rate: number) {
  useEffect(() => {
    for (const wave of level.current?.querySelectorAll(".wave") ?? [])
      for (const swell of wave.getAnimations()) swell.updatePlaybackRate(rate);
  }, [rate]);
}

const LABEL_SIZE = { usual: 132, narrow: 100 };
/** A narrower room wraps the words, and the number would touch the seal above a full bar. */
const NARROW_ROOM = 260;
const LABEL_MARGINS = 76;
const COUNT_ATTRIBUTES: Partial<Record<TurnoutLevel["word"], string>> = { joined: "data-joined", voted: "data-turnout" };

/** The number of voters, just above the top of the bar. */
function TurnoutLabel({ number, word, source, hint, of, isNumberHidden, place, beside }: TurnoutLevel & { place: Place; beside: number }) {
  const text = formatNumber(number);
  const room = beside - LABEL_MARGINS;
  const fontSize = `calc(${fitNumber(text, room, room < NARROW_ROOM ? LABEL_SIZE.narrow : LABEL_SIZE.usual)} * var(--u))`;
  const countAttribute = { [COUNT_ATTRIBUTES[word] ?? "data-silent"]: place + 1 };
  return (
    <div class="turnout-label" style={{ "--room": `calc(${room} * var(--u))` }}>
      {!isNumberHidden && <b style={{ fontSize }} {...countAttribute}>{text}</b>}
      {hint && <span>{hint}</span>}
      <span>{source ?? turnoutText(word, number, of)}</span>
    </div>
  );
}
