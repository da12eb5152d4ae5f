import type { EventState, Reveal, Turn } from "../../protocol";

/** A later reveal follows the server's clock: by then, the next vote matters more. */
const LATEST_MS = 15_000;

/**
 * The match of `state`, received at `now`. If its reveal comes late to a screen that was waiting for it, it begins when it
 * arrives, so that each of its steps can be read, and the next window opens when it ends. `before` is the last state, as
 * it was shown.
 */
export function withReadableReveal({ match }: EventState, before: EventState | null, now: number): Pick<EventState, "match"> {
  const reveal = match?.reveal;
  const shown = before?.match;
  if (!match || !reveal || shown?.id !== match.id) return { match };
  const isKnown = shown.reveal?.turn === reveal.turn;
  const late = isKnown ? shown.reveal!.resolved_at - reveal.resolved_at : now - reveal.resolved_at;
  if (late <= (isKnown ? 0 : reveal.steps.pour) || late >= Math.min(reveal.steps.over, LATEST_MS)) return { match };
  const begun = { ...reveal, resolved_at: reveal.resolved_at + late };
  return { match: { ...match, reveal: begun, turn: match.turn && openedAfter(match.turn, begun) } };
}

/** Half of the window stays for the vote. */
function openedAfter(turn: Turn, { number, resolved_at, steps }: Reveal): Turn {
  if (turn.paused || turn.number !== number + 1) return turn;
  const latest = Math.floor((turn.opens_at + turn.closes_at) / 2);
  return { ...turn, opens_at: Math.max(turn.opens_at, Math.min(resolved_at + steps.over, latest)) };
}
