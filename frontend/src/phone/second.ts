import type { Second } from "./parts";

/** The build writes here where the second part lies. */
const LATER = "%later%";
const AGAIN_MS = 10_000;

let here: Second | null = null;
let tries = 0;
let triedAt = -AGAIN_MS;
const waiting: ((part: Second) => void)[] = [];

export const second = () => here;

export function onceHere(call: (part: Second) => void): void {
  if (here) call(here);
  else waiting.push(call);
}

/** Fetched as soon as there is need of it. What cannot be had is asked for again, if there still is. */
export function need(): Second | null {
  if (here || performance.now() < triedAt + AGAIN_MS) return here;
  triedAt = performance.now();
  const again = tries++ ? `?${tries}` : "";
  import(/* @vite-ignore */ LATER + again).then(
    ({ second }: { second: Second }) => {
      here = second;
      for (const call of waiting.splice(0)) call(second);
    },
    () => undefined,
  );
  return null;
}
