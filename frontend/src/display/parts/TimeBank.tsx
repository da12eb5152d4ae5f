import { timeBankLeft } from "../../live/match/timeBank";
import { countdownText } from "../scene/countdownText";
import { sideAtPlace, type Place } from "../scene/places";
import type { StageView } from "../scene/stageView";

/** A side's time bank, in the place of its seal. It stops once the side has picked. */
export function TimeBank({ view, place }: { view: StageView; place: Place }) {
  const { scene, turnout, now } = view;
  const { match, phase } = scene;
  const shown = phase === "voting" || phase === "talk" || phase === "ended";
  const left = shown && match ? timeBankLeft(match, sideAtPlace(match, place), turnout, place, now()) : null;
  if (left === null) return null;
  const stands = phase !== "voting" || !!turnout?.picked_at?.[place];
  return <p class="seal time-bank" data-stands={stands} role="timer">{countdownText(left)}</p>;
}
