import type { Side, SideTally } from "../../protocol";
import { BAR_FOOT, BAR_WIDTH, barLeft, distributionBars, type Bar } from "../reveal/distribution";
import { HEIGHT, turnoutY } from "../scene/layout";
import { PLACES, isPartHidden, sideAtPlace, tallyForSide, type Place } from "../scene/places";
import { gridPlacement, isBoardShrunk, type GridPlacement, type StageView } from "../scene/stageView";
import { turnoutLevel } from "../votes/turnoutLevel";
import { MAX_COLUMNS } from "./limits";

/** One column's pile, in stage units. */
export interface Pile {
  left: number;
  height: number;
}

/** A team's particles, in stage units. */
export interface ParticleTeam {
  place: Place;
  side: Side;
  /** How many hover over the sea, and how many lie in the piles. */
  born: number;
  total: number;
  /** The sea: its left and right end, its bottom, and its level from 0 to 1. */
  from: number;
  to: number;
  bottom: number;
  level: number;
  hoverSize: number;
  /** The piles: the rank at which each column's votes begin (and the end), and the particles in a full row. */
  ranks: readonly number[];
  piles: readonly Pile[];
  wide: number;
  pileSize: number;
  barWidth: number;
  barFloor: number;
  /** The index of the picked column, or -1. */
  picked: number;
}

/** All particles of both teams. With more votes, each particle stands for several. */
export const MAX_PARTICLES = 20_000;
const HOVER_SIZE = { least: 4, most: 15, filling: 0.34 };
/** Fine particles overlap, so that a pile of thousands looks solid. */
const PILE_SIZE = { most: 15, overlap: 1.05, more: 0.7 };
const SHORE = 8;
const SURFACE = 6;

/** Everything that the particles are drawn from. A hidden number has no particles. */
export function particleTeams(view: StageView, beside: number): ParticleTeam[] {
  if (isPartHidden(view.state, "turnout")) return [];
  const levels = PLACES.map((place) => turnoutLevel(view, place));
  const votes = PLACES.map((place) => countVotes(pouredTally(view, place)));
  const most = PLACES.map((place) => Math.max(view.turnout?.connected[place] ?? 0, levels[place]!.number, votes[place]!));
  const scale = Math.min(1, MAX_PARTICLES / Math.max(1, most[0]! + most[1]!));
  return PLACES.map((place) => {
    const { number, share, isNumberHidden } = levels[place]!;
    const born = isNumberHidden || !isCounting(view) ? 0 : Math.floor(number * scale);
    return { ...hovering(view, place, beside, Math.max(1, most[place]! * scale)), born, level: share, ...piled(view, place, scale) };
  });
}

/** Only while votes are on the sea: in the lobby and after the match, the numbers mean something else. */
function isCounting({ scene }: StageView): boolean {
  return ["voting", "paused", "sealed", "reveal"].includes(scene.phase);
}

type Hovering = Pick<ParticleTeam, "place" | "side" | "from" | "to" | "bottom" | "hoverSize">;

function hovering({ scene, size, foot, lift }: StageView, place: Place, beside: number, most: number): Hovering {
  const [near, far] = [SHORE, beside - SHORE];
  const bottom = HEIGHT - foot.noticeHeight - foot.footerHeight - SHORE;
  const space = Math.sqrt(((far - near) * (bottom - turnoutY(1, lift))) / most);
  return {
    place,
    side: sideAtPlace(scene.match, place),
    from: place === 0 ? near : size.width - near,
    to: place === 0 ? far : size.width - far,
    bottom,
    hoverSize: Math.min(HOVER_SIZE.most, Math.max(HOVER_SIZE.least, space * HOVER_SIZE.filling)),
  };
}

/** The top of the water in which particles hover. */
export function surfaceY(level: number, lift: number): number {
  return turnoutY(level, lift) + SURFACE;
}

/** The tally whose votes pour into the piles, unless it is hidden or not counted by column. */
function pouredTally(view: StageView, place: Place): SideTally | null {
  const { scene, state } = view;
  if (!isBoardShrunk(scene) || isPartHidden(state, "tally")) return null;
  return tallyForSide(scene.reveal, sideAtPlace(scene.match, place));
}

function countVotes(tally: SideTally | null): number {
  return tally && tally.counts.length <= MAX_COLUMNS ? tally.counts.reduce((sum, count) => sum + count, 0) : 0;
}

type Piled = Pick<ParticleTeam, "total" | "ranks" | "piles" | "wide" | "pileSize" | "barWidth" | "barFloor" | "picked">;

const NO_PILES: Piled = { total: 0, ranks: [0], piles: [], wide: 1, pileSize: 1, barWidth: 0, barFloor: 0, picked: -1 };

function piled(view: StageView, place: Place, scale: number): Piled {
  const tally = pouredTally(view, place);
  const placement = gridPlacement(view);
  if (!tally || !placement || countVotes(tally) === 0) return NO_PILES;
  const bars = distributionBars(view).filter(({ side }) => side === sideAtPlace(view.scene.match, place));
  const ranks = firstRanks(tally.counts, scale);
  const barWidth = BAR_WIDTH * placement.scale;
  const area = bars.reduce((sum, { height }) => sum + height, 0) * placement.scale * barWidth;
  const cell = Math.sqrt(area / Math.max(1, ranks[ranks.length - 1]!));
  const wide = Math.max(1, Math.round(barWidth / cell));
  return {
    total: ranks[ranks.length - 1]!,
    ranks,
    piles: bars.map((bar) => pile(bar, placement)),
    wide,
    pileSize: Math.min(PILE_SIZE.most, Math.min(barWidth / wide, cell ** 2 / (barWidth / wide)) * PILE_SIZE.overlap + PILE_SIZE.more),
    barWidth,
    barFloor: rimY(placement) + BAR_FOOT * placement.scale,
    picked: bars.findIndex(({ picked }) => picked),
  };
}

function rimY({ floor, height }: GridPlacement): number {
  return floor - height;
}

function pile(bar: Bar, { center, width, scale }: GridPlacement): Pile {
  return { left: center - width / 2 + barLeft(bar) * scale, height: bar.height * scale };
}

/** The rank at which each column's votes begin, and the number of all particles. */
export function firstRanks(counts: readonly number[], scale: number): number[] {
  let sum = 0;
  return [0, ...counts.map((count) => Math.round((sum += count) * scale))];
}
