import { isPartHidden, sideAtPlace, tallyForSide, teamAtPlace, type Place } from "../scene/places";
import type { Match } from "../../protocol";
import { currentSeries } from "../../live/match/series";
import { isWon, type StageView } from "../scene/stageView";

/** A side's water level: a number and its label, and the height from 0 to 1. */
export interface WaterLevel {
  number: number;
  share: number;
  word: "" | "joined" | "voted" | "won" | "by show of hands";
  /** The total that `number` is out of. */
  of?: number;
  awake: boolean;
  /** The number is not shown: it is hidden, or not counted by phones. */
  silent?: boolean;
}

const NO_WATER: WaterLevel = { number: 0, share: 0, word: "", awake: false };
/** Leaves room for a team's name on five lines. */
const LOBBY_TIDE = { most: 0.2, cheered: 0.18 };
/** Taps per second and person at which the level reaches its maximum. */
const CHEERS_AT_MOST = 2;
/** The neutral level used when the turnout is hidden. */
const HIDDEN_TIDE = 0.3;

export function waterLevel(view: StageView, place: Place): WaterLevel {
  const counted = unmaskedCount(view, place);
  const crowd = counted.word === "joined" || counted.word === "voted";
  if (crowd && teamAtPlace(view.state, place).hands) return handsLevel(view, counted);
  if (!crowd || !isPartHidden(view.state, "turnout")) return counted;
  return { ...counted, number: 0, share: HIDDEN_TIDE, word: "", of: 0, silent: true };
}

/** A team that votes by a show of hands has no phone turnout; its count is shown in the reveal. */
function handsLevel({ scene, state }: StageView, counted: WaterLevel): WaterLevel {
  if (scene.phase === "reveal" && counted.number && !isPartHidden(state, "turnout")) return counted;
  const share = scene.phase === "lobby" ? 0 : HIDDEN_TIDE;
  return { ...counted, number: 0, share, word: "by show of hands", of: 0, silent: true };
}

function unmaskedCount(view: StageView, place: Place): WaterLevel {
  const { scene, turnout } = view;
  const connected = turnout?.connected[place] ?? 0;
  if (scene.phase === "lobby") return { number: connected, share: lobbyLevel(view, place, connected), word: "joined", awake: true };
  if (scene.phase === "talk") return NO_WATER;
  if (scene.phase === "ended") return endLevel(view, place);
  return scene.phase === "reveal" ? sealedLevel(view, place, connected) : openLevel(view, place, connected);
}

function lobbyLevel({ cheers }: StageView, place: Place, connected: number): number {
  const cheered = Math.min(1, cheers.latest[place] / Math.max(1, connected * CHEERS_AT_MOST));
  return Math.min(LOBBY_TIDE.most, Math.log10(1 + connected) / 16) + LOBBY_TIDE.cheered * cheered;
}

/** After a draw both sides are equally high and show the score; after an aborted match there is no water. */
function endLevel({ scene, state }: StageView, place: Place): WaterLevel {
  if (isWon(scene) || scene.match?.state === "aborted") return NO_WATER;
  return { number: currentSeries(state).won[place], share: 1, word: "won", awake: true };
}

function openLevel({ scene, turnout }: StageView, place: Place, connected: number): WaterLevel {
  const { turn, match } = scene;
  if (!turn?.to_move.includes(sideAtPlace(match, place))) return NO_WATER;
  const number = turnout?.turn === turn.id ? turnout.voted[place] : 0;
  const of = Math.max(number, connected);
  return { number, share: number / Math.max(1, of), word: isDuel(match) ? "" : "voted", of, awake: true };
}

/** A single player's water level needs no label, and the time bank takes its place. */
const isDuel = (match: Match | null) => !!match?.clocks && !match.clocks.crowd;

function sealedLevel({ scene }: StageView, place: Place, connected: number): WaterLevel {
  const tally = tallyForSide(scene.reveal, sideAtPlace(scene.match, place));
  if (!tally) return NO_WATER;
  if (!tally.counts.length) return { ...NO_WATER, share: HIDDEN_TIDE, awake: true, silent: true };
  const shown = scene.stage?.step === "sealed" || scene.stage?.step === "pour";
  const share = tally.ballots / Math.max(1, tally.ballots, connected);
  return { number: tally.ballots, share, word: shown ? "voted" : "", awake: true };
}
