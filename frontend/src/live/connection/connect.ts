import { ServerClock } from "./clock";
import { INITIAL_STATE, reduce, type LiveState } from "../state/liveState";
import { LiveSocket } from "./socket";
import { Store } from "../state/store";

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
