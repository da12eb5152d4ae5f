import { hasIntroduction } from "../demonstration/demonstration";
import type { JoinCodes } from "../scene/joinCodes";
import type { StageView } from "../scene/stageView";
import { showsCode } from "./LobbyStatus";

/**
 * Quiet zone around the QR code, in modules: enough for a light card on a dark ground; fewer if a long notice needs the
 * room.
 */
const QUIET_ZONE = { usual: 3, least: 2 };
const SYMBOL = 652;
const MARGIN = 36;
/** Between two QR codes there is room for the introduction on wide stages only. */
const BETWEEN_CODES = { stage: 1850, width: 470 };

export function quietZone({ foot }: StageView): number {
  return foot.lines > 1 ? QUIET_ZONE.least : QUIET_ZONE.usual;
}

export function cardSide(qr: readonly string[], quiet: number): number {
  return (SYMBOL * (qr.length + 2 * quiet)) / Math.max(1, qr.length);
}

/** The teams' own codes, while the lobby shows them. */
export function shownTeamCodes(view: StageView, { teams }: JoinCodes): JoinCodes["teams"] {
  return view.scene.phase === "lobby" && showsCode(view.state) ? teams : null;
}

/** Whether the lobby explains the game beside the QR code: before the first match of a game that it can explain. */
export function isIntroducing(view: StageView, codes: JoinCodes): boolean {
  return view.scene.phase === "lobby" && hasIntroduction(view.state) && !shownTeamCodes(view, codes);
}

/** The width of the introduction between two QR codes; 0 if there is no room for it. */
export function widthBetweenCodes({ state, size }: StageView): number {
  return hasIntroduction(state) && size.width >= BETWEEN_CODES.stage ? BETWEEN_CODES.width : 0;
}

/** Where the QR code ends in a lobby that explains the game. The teams share the width beside it. */
export function besideIntroduction(view: StageView, { event }: JoinCodes): { card: number; width: number } {
  const card = cardSide(event.rows, quietZone(view));
  return { card, width: view.size.width - MARGIN - card };
}

/** The stage width left for each team beside the QR code. */
export function besideCard(view: StageView, codes: JoinCodes): number {
  if (isIntroducing(view, codes)) return besideIntroduction(view, codes).width / 2;
  return (view.size.width - cardSide(codes.event.rows, quietZone(view))) / 2;
}
