import { Badge } from "../../board/Ball";
import { t } from "../../live/i18n";
import { matchingSeal } from "../../live/match/seals";
import { timeBankLeft } from "../../live/match/timeBank";
import type { Side } from "../../protocol";
import { sealText } from "../captions/captions";
import { countdownText } from "../scene/countdownText";
import { BESIDE_CLOCK, NAME_LEAST } from "../scene/layout";
import { sideAtPlace, tallyForSide, type Place } from "../scene/places";
import type { Scene } from "../scene/scene";
import type { StageView } from "../scene/stageView";
import { TeamName } from "./TeamName";

const NAME = 84;
/** The badge, and the gap beside it. */
const BADGE = 126;
const MARGIN = 48;
/** Balls that are held over the first or last column reach beside the name. */
const BESIDE_BALLS = 350;

/** A team's badge, name, seal and time bank, in its corner beside the countdown. */
export function TeamHeader({ view, place }: { view: StageView; place: Place }) {
  const { scene, size } = view;
  const side = sideAtPlace(scene.match, place);
  const room = size.width / 2 - clockMargin(scene) - MARGIN;
  const waits = scene.turn !== null && scene.phase !== "reveal" && !scene.turn.to_move.includes(side) && scene.match?.concealed?.side !== side;
  return (
    <div class="team" data-place={place} data-side={side} data-waits={waits} style={{ width: `calc(${room} * var(--u))` }}>
      <Badge side={side} />
      <TeamName view={view} place={place} level="h2" width={room - BADGE} largest={NAME} least={NAME_LEAST} />
      <Seal view={view} side={side} />
      <TimeBank view={view} place={place} />
    </div>
  );
}

/** A word in the clock's place is wider than the seconds. */
function clockMargin({ phase, leftMs, reveal, match }: Scene): number {
  const holdsAtEdge = reveal?.steps.hold && reveal.resolution.drops.some(({ column }) => column === 1 || column === match?.board.columns);
  if (phase === "reveal" && holdsAtEdge) return BESIDE_BALLS;
  const wide = phase === "reveal" || phase === "sealed" || phase === "ended" || phase === "paused" || countdownText(leftMs).length > 3;
  return wide ? BESIDE_CLOCK.wide : BESIDE_CLOCK.narrow;
}

/** A side's time bank, in the place of its seal. It stops once the side has picked. */
function TimeBank({ view, place }: { view: StageView; place: Place }) {
  const { scene, turnout, now } = view;
  const { match, phase } = scene;
  const shown = phase === "voting" || phase === "talk" || phase === "ended";
  const left = shown && match ? timeBankLeft(match, sideAtPlace(match, place), turnout, place, now()) : null;
  if (left === null) return null;
  const stands = phase !== "voting" || !!turnout?.picked_at?.[place];
  return <p class="seal time-bank" data-stands={stands} role="timer">{countdownText(left)}</p>;
}

/**
 * Says that a side's ballots are sealed, or warns if the reveal has another Merkle root than the seal, or another time. The roots
 * themselves are on the phones and in the report.
 */
function Seal({ view, side }: { view: StageView; side: Side }) {
  const { scene, sealed } = view;
  if (scene.match?.concealed?.side === side) return <SealStatus scene={scene} isBroken={false} />;
  if (scene.phase !== "sealed" && scene.phase !== "reveal") return null;
  const reveal = scene.phase === "reveal" ? scene.reveal : null;
  const seal = reveal ? matchingSeal(reveal, sealed) : sealed?.turn === scene.turn?.id ? sealed : null;
  const before = seal?.turn_commitment ?? seal?.[side]?.root;
  const after = reveal?.turn_commitment ?? tallyForSide(reveal, side)?.root;
  if (!before && !after) return null;
  const isBroken = !!before && !!after && (before !== after || seal!.at !== reveal!.sealed_at);
  return isBroken || !picksShown(scene) ? <SealStatus scene={scene} isBroken={isBroken} /> : null;
}

function picksShown({ stage }: Scene): boolean {
  return !!stage && stage.step !== "sealed" && stage.step !== "pour";
}

function SealStatus({ scene, isBroken }: { scene: Scene; isBroken: boolean }) {
  return <p class="seal" data-broken={isBroken}><SealIcon /><span>{isBroken ? t("Seal doesn't match") : sealText(scene.match)}</span></p>;
}

/** A wax seal with a keyhole. */
function SealIcon() {
  return (
    <svg viewBox="0 0 48 48" aria-hidden="true">
      <path d="M24 2 l6 5 8 -1 2 8 7 4 -3 7 3 7 -7 4 -2 8 -8 -1 -6 5 -6 -5 -8 1 -2 -8 -7 -4 3 -7 -3 -7 7 -4 2 -8 8 1 Z" />
      <path class="hole" d="M24 15 a6 6 0 0 1 3 11 l2 9 h-10 l2 -9 a6 6 0 0 1 3 -11 Z" />
    </svg>
  );
}
