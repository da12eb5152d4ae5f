import { formatNumber } from "../../live/format";
import { n, t } from "../../live/i18n";
import { isPartHidden, sideAtPlace, tallyForSide, teamAtPlace, type Place } from "../scene/places";
import { isTalkHeld } from "../../live/match/phase";
import { isForTwo } from "../../live/match/timeBank";
import type { StageView } from "../scene/stageView";
import { byDiscord, hasPhones, publicVotes, sourceLabel } from "../../live/match/ballotSource";

/** What a turnout bar shows: a number and its label, and the height from 0 to 1. */
export interface TurnoutLevel {
  number: number;
  share: number;
  word: "" | "joined" | "voted" | "source";
  /** Of a team without phones, where its votes come from; empty if its name says so. */
  source?: string;
  /** Of a team that votes in a chat, how. */
  hint?: string;
  /** The total that `number` is out of. */
  of?: number;
  isActive: boolean;
  /** The number is not shown: it is hidden, or not counted by phones. */
  isNumberHidden?: boolean;
}

const NO_TURNOUT: TurnoutLevel = { number: 0, share: 0, word: "", isActive: false };
/** Leaves room for a team's name on five lines. */
const LOBBY_LEVEL = { most: 0.2, cheered: 0.18 };
/** Taps per second and person at which the level reaches its maximum. */
const CHEERS_AT_MOST = 2;
/** The neutral height used when the turnout is hidden. */
const HIDDEN_LEVEL = 0.3;
const UNBROKEN_DASH = "\u2060–\u2060";

export function turnoutLevel(view: StageView, place: Place): TurnoutLevel {
  const counted = unmaskedCount(view, place);
  const crowd = counted.word === "joined" || counted.word === "voted";
  const team = teamAtPlace(view.state, place);
  if (crowd && !hasPhones(team)) {
    const hint = chatHint(view, place);
    const source = team.is_public ? publicVotes() : hint ? "" : sourceLabel(team);
    return { ...phonelessLevel(view, counted, source), hint };
  }
  if (!crowd || !isPartHidden(view.state, "turnout")) return counted;
  return { ...counted, number: 0, share: HIDDEN_LEVEL, word: "", of: 0, isNumberHidden: true };
}

/** A team without phones has no turnout; its count is shown in the reveal. */
function phonelessLevel({ scene, state }: StageView, counted: TurnoutLevel, source: string): TurnoutLevel {
  if (scene.phase === "reveal" && counted.number && !isPartHidden(state, "turnout")) return counted;
  const share = scene.phase === "lobby" ? 0 : HIDDEN_LEVEL;
  return { ...counted, number: 0, share, word: "source", source, of: 0, isNumberHidden: true };
}

/** How to vote in a chat, while the vote is open. */
function chatHint({ scene, state }: StageView, place: Place): string {
  const team = teamAtPlace(state, place);
  const legal = scene.phase === "voting" ? (scene.turn?.legal[sideAtPlace(scene.match, place)] ?? []) : [];
  if (legal.length === 0) return "";
  const columns = [Math.min(...legal), Math.max(...legal)].map(formatNumber).join(UNBROKEN_DASH);
  if (byDiscord(team)) return t("Type /vote in Discord");
  return team.is_public ? t("Type %(columns)s in the chat", { columns }) : "";
}

function unmaskedCount(view: StageView, place: Place): TurnoutLevel {
  const { scene, turnout } = view;
  const connected = turnout?.connected[place] ?? 0;
  if (scene.phase === "lobby") return { number: connected, share: lobbyLevel(view, place, connected), word: "joined", isActive: true };
  if (scene.phase === "talk" || (scene.phase === "paused" && isTalkHeld(scene.turn!))) return NO_TURNOUT;
  if (scene.phase === "ended") return { ...NO_TURNOUT, share: scene.match?.result === "draw" ? 1 : 0 };
  return scene.phase === "reveal" ? sealedLevel(view, place, connected) : openLevel(view, place, connected);
}

function lobbyLevel({ cheers }: StageView, place: Place, connected: number): number {
  const cheered = Math.min(1, cheers.latest[place] / Math.max(1, connected * CHEERS_AT_MOST));
  return Math.min(LOBBY_LEVEL.most, Math.log10(1 + connected) / 16) + LOBBY_LEVEL.cheered * cheered;
}

function openLevel({ scene, turnout }: StageView, place: Place, connected: number): TurnoutLevel {
  const { turn, match } = scene;
  if (!turn?.to_move.includes(sideAtPlace(match, place))) return NO_TURNOUT;
  const number = turnout?.turn === turn.id ? turnout.voted[place] : 0;
  const of = Math.max(number, connected);
  // A single player's turnout bar needs no label, and the time bank takes its place.
  return { number, share: number / Math.max(1, of), word: isForTwo(match) ? "" : "voted", of, isActive: true };
}

function sealedLevel({ scene }: StageView, place: Place, connected: number): TurnoutLevel {
  const tally = tallyForSide(scene.reveal, sideAtPlace(scene.match, place));
  if (!tally) return NO_TURNOUT;
  if (!tally.counts.length) return { ...NO_TURNOUT, share: HIDDEN_LEVEL, isActive: true, isNumberHidden: true };
  const shown = !isForTwo(scene.match) && (scene.stage?.step === "sealed" || scene.stage?.step === "pour");
  const share = tally.ballots / Math.max(1, tally.ballots, connected);
  return { number: tally.ballots, share, word: shown ? "voted" : "", isActive: true };
}

/** Below the number, or alone if the number is hidden. */
export function turnoutText(word: TurnoutLevel["word"], number: number, of = 0): string {
  if (word === "joined") return n("joined", "joined", number);
  return of ? n("of %(count)s voted", "of %(count)s voted", of, { count: formatNumber(of) }) : n("voted", "voted", number);
}
