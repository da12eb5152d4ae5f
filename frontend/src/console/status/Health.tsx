import type { ServerClock } from "../../live/connection/clock";
import { useMoments } from "../../live/state/useNow";
import type { Phase } from "../../live/match/phase";
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
  const closedAt = event.match?.turn?.closes_at ?? 0;
  const now = useMoments(clock, [closedAt + OVERDUE_MS + 1]);
  const overdueMs = phase === "sealed" ? now - closedAt : 0;
  const { good, text, more } = assessHealth({ joined, overdueMs, lateMs, tookMs, skewMs: clock.now() - Date.now() });
  return (
    <p class="health" data-good={good}>
      <b role="status">{text}</b>
      {more && <small>{more}</small>}
    </p>
  );
}
