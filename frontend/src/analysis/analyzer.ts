import type { SolverPosition } from "../verify/bots/position";
import type { Solution } from "../verify/bots/solver";
import { Store } from "../live/state/store";
import type { Task } from "./solveWorker";

export interface Analysis {
  readonly solution: Solution | null;
  /** Whether a better answer is still to come. */
  readonly isSearching: boolean;
  /** The browser can't compute it, or a file is missing. */
  readonly hasFailed: boolean;
}

const NOTHING: Analysis = { solution: null, isSearching: false, hasFailed: false };

/** A worker that solves one position at a time. The next one is the latest that was asked for. */
class SolveQueue {
  private worker: Worker | null = null;
  private running: SolverPosition | null = null;
  private next: SolverPosition | null = null;

  constructor(
    private readonly isQuick: boolean,
    private readonly onAnswer: (position: SolverPosition, solution: Solution | null) => void,
  ) {}

  ask(position: SolverPosition): void {
    this.next = position;
    if (!this.running) this.sendNext();
  }

  private sendNext(): void {
    this.running = this.next;
    this.next = null;
    if (!this.running) return;
    this.worker ??= this.start();
    this.worker.postMessage({ position: this.running, isQuick: this.isQuick } satisfies Task);
  }

  private start(): Worker {
    const worker = new Worker(new URL("./solveWorker.ts", import.meta.url), { type: "module" });
    const end = (solution: Solution | null) => {
      const solved = this.running!;
      this.sendNext();
      this.onAnswer(solved, solution);
    };
    worker.addEventListener("message", ({ data }: MessageEvent<Solution | null>) => end(data));
    worker.addEventListener("error", () => end(null));
    return worker;
  }
}

/** Solves positions in workers: at once a turn deep, then as deep as the server does. */
export class Analyzer {
  readonly store = new Store<Analysis>(NOTHING);
  private shown = "";
  private readonly known = new Map<string, Solution>();
  private readonly deep = new SolveQueue(false, (position, solution) => this.receive(position, solution, false));
  private readonly quick = new SolveQueue(true, (position, solution) => this.receive(position, solution, true));

  show(position: SolverPosition | null): void {
    this.shown = position ? key(position) : "";
    const solution = this.known.get(this.shown) ?? null;
    this.store.set({ solution, isSearching: Boolean(position && !solution), hasFailed: false });
    if (!position || solution) return;
    this.quick.ask(position);
    this.deep.ask(position);
  }

  private receive(position: SolverPosition, solution: Solution | null, isQuick: boolean): void {
    const name = key(position);
    if (solution && !isQuick) this.known.set(name, solution);
    if (name !== this.shown || (isQuick && this.known.has(name))) return;
    this.store.set({ solution, isSearching: isQuick && solution !== null, hasFailed: solution === null });
  }
}

const key = ({ red, yellow, first }: SolverPosition): string => `${red}:${yellow}:${first}`;
