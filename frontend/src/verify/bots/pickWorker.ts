import { recomputePick, type BotInputs } from "./botPick";
import { loadSolver } from "./loadSolver";

/** In a worker: recomputes the picks of the turns that it receives. Answers with each pick in order, or null if it failed. */

addEventListener("message", ({ data }: MessageEvent<readonly BotInputs[]>) => void recomputePicks(data).catch(() => postMessage(null)));

/** The turns are of one match, so one solver is enough. */
async function recomputePicks(turns: readonly BotInputs[]): Promise<void> {
  const position = turns.find((turn) => turn.position)?.position;
  const solver = position ? await loadSolver(position) : null;
  for (const turn of turns) postMessage(recomputePick(turn, solver));
}
