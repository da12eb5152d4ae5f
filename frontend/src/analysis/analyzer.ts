import type { SolverPosition } from "../verify/bots/position";
import type { Solution } from "../verify/bots/solver";
import { Store } from "../live/state/store";
import type { Task } from "./solveWorker";

export interface Analysis {
  /** Of the position; empty for none. */
  readonly key: string;
  readonly solution: Solution | null;
  /** Whether a better answer is still to come. */
  readonly isSearching: boolean;
  /** The browser can't compute it, or a file is missing. */
  readonly hasFailed: boolean;
}

export const NOTHING: Analysis = { key: "", solution: null, isSearching: false, hasFailed: false };

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
    const fail = () => {
      worker.terminate();
      this.worker = null;
      end(null);
    };
    const end = (solution: Solution | null) => {
      const solved = this.running!;
      this.sendNext();
      this.onAnswer(solved, solution);
    };
    worker.addEventListener("message", ({ data }: MessageEvent<Solution | null>) => end(data));
    worker.addEventListener("error", fail);
    return worker;
  }
}

/** Solves positions in workers: at once a turn deep, then as deep as the server does. */
export class Analyzer {
  readonly store = new Store<Analysis>(NOTHING);
  private shown = "";
  /** By position; null if the deep search failed. */
  private readonly known = new Map<string, Solution | null>();
  private readonly deep = new SolveQueue(false, (position, solution) => this.receive(position, solution, false));
  private readonly quick = new SolveQueue(true, (position, solution) => this.receive(position, solution, true));

  show(position: SolverPosition | null): void {
    this.shown = position ? positionKey(position) : "";
    const solution = this.known.get(this.shown) ?? null;
    this.store.set({ key: this.shown, solution, isSearching: Boolean(position && !solution), hasFailed: false });
    if (!position || solution) return;
    this.known.delete(this.shown);
    this.quick.ask(position);
    this.deep.ask(position);
  }

  private receive(position: SolverPosition, solution: Solution | null, isQuick: boolean): void {
    const key = positionKey(position);
    if (!isQuick) this.known.set(key, solution);
    if (key !== this.shown || (isQuick && this.known.has(key))) return;
    this.store.set({ key, solution, isSearching: isQuick && solution !== null, hasFailed: solution === null });
  }
}

export const positionKey = ({ red, yellow, first }: SolverPosition): string => `${red}:${yellow}:${first}`;
