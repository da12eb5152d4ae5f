/** The second part of the page: what nobody needs before the first vote. */
type Second = typeof import("./later");

/** The build writes here where the second part lies. */
const LATER = "%later%";
const AGAIN_MS = 10_000;

let here: Second | null = null;
let tries = 0;
let triedAt = -AGAIN_MS;
const waiting: ((second: Second) => void)[] = [];

export const second = () => here;

export function onceHere(call: (second: Second) => void): void {
  if (here) call(here);
  else waiting.push(call);
}

/** Fetched as soon as there is need of it. What cannot be had is asked for again, if there still is. */
export function need(): Second | null {
  if (here || performance.now() < triedAt + AGAIN_MS) return here;
  triedAt = performance.now();
  const again = tries++ ? `?${tries}` : "";
  import(/* @vite-ignore */ LATER + again).then(
    (part: Second) => {
      here = part;
      for (const call of waiting.splice(0)) call(part);
    },
    () => undefined,
  );
  return null;
}
