import type { EventState, ToDisplay } from "../protocol";

export const NOTICE_MS = 6000;

/** What a change needs said in words; null where the picture says it. */
export function noticeOf(message: ToDisplay, before: EventState | null): string | null {
  switch (message.type) {
    case "turn.voided":
      return "The last turn does not count: vote again";
    case "turn.restored":
      return "Some votes were lost and are sent again: more time";
    case "turn.moved":
      return moved(message.state, before);
    case "turn.resumed":
      return "On we go";
    case "joining.locked":
      return "Joining is closed";
    case "joining.unlocked":
      return "Joining is open";
    default:
      return null;
  }
}

function moved(after: EventState, before: EventState | null): string | null {
  const [now, then] = [after.match?.turn, before?.match?.turn];
  if (!now || !then || now.id !== then.id) return null;
  const seconds = Math.round((ends(now) - ends(then)) / 1000);
  if (seconds > 0) return seconds === 1 ? "One more second" : `${seconds} more seconds`;
  return "Closed early";
}

function ends({ paused, left_ms, closes_at }: { paused: boolean; left_ms: number; closes_at: number }): number {
  return paused ? left_ms : closes_at;
}
