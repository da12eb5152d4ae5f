import { loadSolver } from "../verify/bots/loadSolver";
import type { SolverPosition } from "../verify/bots/position";
import type { Solver } from "../verify/bots/solver";

/** In a worker: answers each position with its solution, or null if the solver can't be loaded. */

const SMALL_TABLE_BITS = 14;

export interface Task {
  readonly position: SolverPosition;
  /** Only a turn deep. All tasks of a worker are alike. */
  readonly isQuick: boolean;
}

let solver: Promise<Solver> | null = null;

addEventListener("message", ({ data }: MessageEvent<Task>) => {
  void answer(data).catch(() => {
    solver = null; // load it again for the next position
    postMessage(null);
  });
});

/** The positions are of one match, so one solver is enough. */
async function answer({ position, isQuick }: Task): Promise<void> {
  solver ??= loadSolver(position, isQuick ? SMALL_TABLE_BITS : undefined);
  const loaded = await solver;
  postMessage(isQuick ? loaded.solveDepth(position, 1) : loaded.analyze(position));
}
