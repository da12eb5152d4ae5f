import { n, t } from "../../live/i18n";
import type { EventState, ToDisplay, Turn } from "../../protocol";
import type { Scene } from "../scene/scene";

export const NOTICE_MS = 6000;

/** A notice that explains a change, and the turn it belongs to. It disappears after that turn. */
export interface ChangeNotice {
  text: string;
  turn: number | null;
}

/** Null if the picture shows the change by itself. */
export function changeNotice(message: ToDisplay, before: EventState | null): ChangeNotice | null {
  const text = changeText(message, before);
  return text === null || !("state" in message) ? null : { text, turn: message.state.match?.turn?.id ?? null };
}

/** False during a reveal, a pause and the end, which have their own captions. */
export function isTimely({ turn }: ChangeNotice, scene: Scene): boolean {
  const { phase } = scene;
  return ["lobby", "talk", "voting", "sealed"].includes(phase) && turn === (scene.turn?.id ?? null);
}

const TEXTS: { [type in ToDisplay["type"]]?: string } = {
  "turn.voided": t("The last turn doesn't count: vote again"),
  "turn.concealed": t("Sealed until the other team has voted"),
  "turn.restored": t("Resending lost votes: extra time added"),
  "turn.resumed": t("The match continues"),
  "joining.locked": t("Joining is closed"),
  "joining.unlocked": t("Joining is open"),
};

function changeText(message: ToDisplay, before: EventState | null): string | null {
  return message.type === "turn.moved" ? timeChangeText(message.state, before, message.at) : (TEXTS[message.type] ?? null);
}

/** Null if the window has only moved, or changed by the event's own rule or a move on the clocks, which the screen shows. */
function timeChangeText(after: EventState, before: EventState | null, at: number): string | null {
  const [now, then] = [after.match?.turn, before?.match?.turn];
  if (!now || !then || now.id !== then.id || after.match?.clocks) return null;
  if (now.paused ? now.left_ms <= 0 : now.closes_at <= at) return after.match?.close_early ? null : t("The vote closed early");
  const seconds = Math.round((windowMs(now) - windowMs(then)) / 1000);
  if (seconds === 0) return null;
  return seconds > 0 ? n("One more second", "%(count)s more seconds", seconds) : n("One second less", "%(count)s seconds less", -seconds);
}

function windowMs({ paused, left_ms, opens_at, closes_at }: Turn): number {
  return paused ? left_ms : closes_at - opens_at;
}
