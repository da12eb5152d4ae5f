import type { DeferredPart } from "./deferredPart";

/** The build inserts the URL of the deferred bundle here. */
const DEFERRED_URL = "%deferred%";
const RETRY_MS = 10_000;

let loaded: DeferredPart | null = null;
let tries = 0;
let triedAt = -RETRY_MS;
const waiting: ((part: DeferredPart) => void)[] = [];

/** The deferred bundle (code splitting), once it is loaded. */
export const deferred = () => loaded;

export function whenDeferred(call: (part: DeferredPart) => void): void {
  if (loaded) call(loaded);
  else waiting.push(call);
}

/** Starts loading the deferred bundle when it is first needed. After a failure, calls after RETRY_MS try again. */
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
