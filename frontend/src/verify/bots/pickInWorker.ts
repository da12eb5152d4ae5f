import type { BotTurn } from "./botTurns";

/**
 * Recomputes the picks of the computer in a worker, so that the page stays responsive. `onPick` is called with the
 * number of picks so far. Null if the browser can't, a file is missing, or `signal` is aborted.
 */
export function pickInWorker(turns: readonly BotTurn[], signal: AbortSignal, onPick: (done: number) => void): Promise<readonly number[] | null> {
  if (!turns.length) return Promise.resolve([]);
  return new Promise((resolve) => {
    const worker = new Worker(new URL("./pickWorker.ts", import.meta.url), { type: "module" });
    const picks: number[] = [];
    const end = (result: readonly number[] | null) => {
      worker.terminate();
      resolve(result);
    };
    signal.addEventListener("abort", () => end(null));
    worker.addEventListener("error", () => end(null));
    worker.addEventListener("message", ({ data: pick }: MessageEvent<number | null>) => {
      if (pick === null) return end(null);
      picks.push(pick);
      onPick(picks.length);
      if (picks.length === turns.length) end(picks);
    });
    worker.postMessage(turns);
    onPick(0);
  });
}
