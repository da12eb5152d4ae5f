import type { Changes, EventState, TurnoutCounted } from "../../protocol";
import type { Connection } from "../connection/socket";

/**
 * What every page knows of an event. `change` is the message type that caused the current `event`; it selects the
 * animation.
 */
export interface LiveState {
  event: EventState | null;
  seq: number;
  change: Changes["type"] | "welcomed" | null;
  turnout: TurnoutCounted | null;
  connection: Connection;
}

export const INITIAL_STATE: LiveState = {
  event: null,
  seq: -1,
  change: null,
  turnout: null,
  connection: { state: "connecting" },
};

interface Message {
  type: string;
  seq?: number;
  state?: EventState;
}

/** The state changed by a message; null if the message is not new. A welcome message always applies. */
export function reduce(live: LiveState, message: Message): Partial<LiveState> | null {
  if (message.type === "turnout.counted") return { turnout: message as TurnoutCounted };
  if (!message.state || message.seq === undefined) return null;
  const welcome = message.type.endsWith(".welcomed");
  if (!welcome && message.seq <= live.seq) return null;
  const change = welcome ? "welcomed" : (message.type as Changes["type"]);
  return { event: message.state, seq: message.seq, change };
}
