import { fetchInTime } from "../../live/connection/fetchInTime";
import program from "../../../../games/solver/solver.wasm?url";
import weights6Holder from "../../../../games/solver/weights/6-holder.gz?url";
import weights6Other from "../../../../games/solver/weights/6-other.gz?url";
import weights7Holder from "../../../../games/solver/weights/7-holder.gz?url";
import weights7Other from "../../../../games/solver/weights/7-other.gz?url";
import type { SolverPosition } from "./position";
import { Solver } from "./solver";

const WITHIN_MS = 60_000;
const WEIGHTS: Readonly<Record<string, string>> = { "6-holder": weights6Holder, "6-other": weights6Other, "7-holder": weights7Holder, "7-other": weights7Other };

/** In a worker: downloads the solver of boards like the position's. `tableBits` is the size of its table. */
export async function loadSolver(position: SolverPosition, tableBits?: number): Promise<Solver> {
  const file = WEIGHTS[`${position.columns}-${position.reverseTie ? "other" : "holder"}`]!;
  const [module, weights] = await Promise.all([download(program).then(readBytes).then((bytes) => WebAssembly.compile(bytes)), download(file).then(decompress)]);
  return new Solver(module, new Int16Array(weights), position, tableBits);
}

async function download(address: string): Promise<Response> {
  const answer = await fetchInTime(address, WITHIN_MS);
  if (!answer.ok) throw new Error(`${address}: status ${answer.status}`);
  return answer;
}

const readBytes = (answer: Response) => answer.arrayBuffer();
const decompress = ({ body }: Response) => readBytes(new Response(body!.pipeThrough(new DecompressionStream("gzip"))));
