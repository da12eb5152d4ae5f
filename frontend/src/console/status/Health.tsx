import type { ServerClock } from "../../live/connection/clock";
import { revealDue, type Phase } from "../../live/match/phase";
import { useMoments } from "../../live/state/useNow";
import { useStore } from "../../live/state/useStore";
import type { EventState } from "../../protocol";
import type { OrganizerCommands } from "../actions/commands";
import type { EventHistory } from "../history/eventHistory";
import { assessHealth, OVERDUE_MS } from "./healthSignals";

interface Props {
  event: EventState;
  phase: Phase;
  joined: boolean;
  clock: ServerClock;
  commands: OrganizerCommands;
  history: EventHistory;
}

/** One line on whether the service is healthy. */
export function Health({ event, phase, joined, clock, commands, history }: Props) {
  const { tookMs } = useStore(commands.store);
  const { lateMs } = useStore(history.store);
  const dueAt = event.match?.turn ? revealDue(event.match, event.match.turn) : 0;
  const now = useMoments(clock, [dueAt + OVERDUE_MS + 1]);
  const overdueMs = phase === "sealed" ? now - dueAt : 0;
  const { good, text, more } = assessHealth({ joined, overdueMs, lateMs, tookMs, skewMs: clock.now() - Date.now() });
  return (
    <p class="health" data-good={good}>
      <b role="status">{text}</b>
      {more && <small>{more}</small>}
    </p>
  );
}
