import { fetchInTime } from "../../live/connection/fetchInTime";
import program from "../../../../games/solver/solver.wasm?url";
import weights6Holder from "../../../../games/solver/weights/6-holder.gz?url";
import weights6Other from "../../../../games/solver/weights/6-other.gz?url";
import weights7Holder from "../../../../games/solver/weights/7-holder.gz?url";
import weights7Other from "../../../../games/solver/weights/7-other.gz?url";
import { recomputePick, type BotInputs } from "./botPick";
import type { SolverPosition } from "./position";
import { Solver } from "./solver";

/** In a worker: recomputes the picks of the turns that it receives. Answers with each pick in order, or null if it failed. */

const WITHIN_MS = 60_000;
const WEIGHTS: Readonly<Record<string, string>> = { "6-holder": weights6Holder, "6-other": weights6Other, "7-holder": weights7Holder, "7-other": weights7Other };

addEventListener("message", ({ data }: MessageEvent<readonly BotInputs[]>) => void recomputePicks(data).catch(() => postMessage(null)));

/** The turns are of one match, so one solver is enough. */
async function recomputePicks(turns: readonly BotInputs[]): Promise<void> {
  const position = turns.find((turn) => turn.position)?.position;
  const solver = position ? await loadSolver(position) : null;
  for (const turn of turns) postMessage(recomputePick(turn, solver));
}

async function loadSolver(position: SolverPosition): Promise<Solver> {
  const file = WEIGHTS[`${position.columns}-${position.reverseTie ? "other" : "holder"}`]!;
  const [module, weights] = await Promise.all([download(program).then(readBytes).then((bytes) => WebAssembly.compile(bytes)), download(file).then(decompress)]);
  return new Solver(module, new Int16Array(weights), position);
}

async function download(address: string): Promise<Response> {
  const answer = await fetchInTime(address, WITHIN_MS);
  if (!answer.ok) throw new Error(`${address}: status ${answer.status}`);
  return answer;
}

const readBytes = (answer: Response) => answer.arrayBuffer();
const decompress = ({ body }: Response) => readBytes(new Response(body!.pipeThrough(new DecompressionStream("gzip"))));
