import { ServerClock } from "./clock";
import { NOTHING_YET, reduce, type Live } from "./event";
import { LiveSocket } from "./socket";
import { Store } from "./value";

export interface Link<Out, In extends { type: string }> {
  clock: ServerClock;
  store: Store<Live>;
  socket: LiveSocket<Out, In>;
}

/**
 * Everything a face needs: a socket that fills a store. `heard` gets every message after the store has it.
 * Call `socket.open()` to begin.
 */
export function connect<Out, In extends { type: string }>(
  path: string,
  join: () => Out,
  heard: (message: In) => void = () => undefined,
): Link<Out, In> {
  const clock = new ServerClock();
  const store = new Store<Live>(NOTHING_YET);
  const socket = new LiveSocket<Out, In>({
    path,
    clock,
    join,
    heard: (message) => {
      const part = reduce(store.get(), message);
      if (part) store.set(part);
      heard(message);
    },
    changed: (connection) => store.set({ connection }),
  });
  return { clock, store, socket };
}
