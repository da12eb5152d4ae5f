import type { Changes, EventState, TurnoutCounted } from "../../protocol";
import { ServerClock } from "./clock";
import { LiveSocket, type Connection } from "./socket";
import { Store } from "../state/store";

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

export interface Link<Out, In extends { type: string }> {
  clock: ServerClock;
  store: Store<LiveState>;
  socket: LiveSocket<Out, In>;
}

/**
 * A socket that fills a store, for every page. `onMessage` receives every message after the store has been updated.
 * Call `socket.open()` to connect.
 */
export function connect<Out, In extends { type: string }>(
  path: string,
  join: () => Out,
  onMessage: (message: In) => void = () => undefined,
): Link<Out, In> {
  const clock = new ServerClock();
  const store = new Store<LiveState>(INITIAL_STATE);
  const socket = new LiveSocket<Out, In>({
    path,
    clock,
    join,
    onMessage: (message) => {
      const part = reduce(store.get(), message);
      if (part) store.set(part);
      onMessage(message);
    },
    onStateChange: (connection) => store.set({ connection }),
  });
  return { clock, store, socket };
}
