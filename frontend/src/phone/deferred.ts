import type { DeferredPart } from "./deferredPart";

/** The build writes here where the second part lies. */
const DEFERRED_URL = "%deferred%";
const RETRY_MS = 10_000;

let loaded: DeferredPart | null = null;
let tries = 0;
let triedAt = -RETRY_MS;
const waiting: ((part: DeferredPart) => void)[] = [];

export const deferred = () => loaded;

export function whenDeferred(call: (part: DeferredPart) => void): void {
  if (loaded) call(loaded);
  else waiting.push(call);
}

/** Fetched as soon as there is need of it. What cannot be had is asked for again, if there still is. */
export function loadDeferred(): DeferredPart | null {
  if (loaded || performance.now() < triedAt + RETRY_MS) return loaded;
  triedAt = performance.now();
  const again = tries++ ? `?${tries}` : "";
  import(/* @vite-ignore */ DEFERRED_URL + again).then(
    ({ deferred }: { deferred: DeferredPart }) => {
      loaded = deferred;
      for (const call of waiting.splice(0)) call(deferred);
    },
    () => undefined,
  );
  return null;
}
