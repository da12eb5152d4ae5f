import { fetchInTime } from "../../live/connection/fetchInTime";
import { Store } from "../../live/state/store";
import { comparePicks } from "../bots/botTurns";
import { pickInWorker } from "../bots/pickInWorker";
import type { Report } from "../findings";
import type { MatchRecord } from "../record";
import { countBallots, parseRecord, recount } from "../recount";
import { runInSlices } from "../slices";

/** Enough for a record of some megabytes over a slow connection. */
const DOWNLOAD_WITHIN_MS = 120_000;

export type Verification =
  | { readonly state: "empty" }
  | { readonly state: "unreadable"; readonly reason: "unavailable" | "not-a-record" }
  | { readonly state: "running"; readonly unit: "ballots" | "picks"; readonly done: number; readonly total: number }
  | { readonly state: "finished"; readonly record: MatchRecord | null; readonly report: Report };

/** The verification shown by the page. A new file replaces an earlier one, even while that is being recounted. */
export class Verifier {
  readonly store = new Store<Verification>({ state: "empty" });
  private latest = new AbortController();

  /** Verifies a file that the reader chose. */
  async verifyFile(file: Blob): Promise<void> {
    const run = this.begin();
    await this.verifyBytes(run, await file.arrayBuffer().catch(() => new ArrayBuffer(0)));
  }

  /** Downloads a record of this server and verifies it. */
  async verifyMatch(code: string, match: string): Promise<void> {
    const run = this.begin();
    const bytes = await download(`/record/${code}/${match}.json`).catch(() => null);
    if (bytes) await this.verifyBytes(run, bytes);
    else this.show(run, { state: "unreadable", reason: "unavailable" });
  }

  private begin(): AbortSignal {
    this.latest.abort();
    this.latest = new AbortController();
    const run = this.latest.signal;
    this.show(run, { state: "running", unit: "ballots", done: 0, total: 0 });
    return run;
  }

  private async verifyBytes(run: AbortSignal, bytes: ArrayBuffer): Promise<void> {
    if (run.aborted) return;
    const text = decode(bytes);
    if (text === null) return this.show(run, { state: "unreadable", reason: "not-a-record" });
    const parsed = await runInSlices(parseRecord(text), () => {});
    if ("report" in parsed) {
      const isRecord = parsed.report.findings.every(({ reason }) => reason !== "not-a-record");
      return this.show(run, isRecord ? { state: "finished", record: null, report: parsed.report } : { state: "unreadable", reason: "not-a-record" });
    }
    const { record } = parsed;
    const progress = (unit: "ballots" | "picks", total: number) => (done: number) => this.show(run, { state: "running", unit, done, total });
    const recounted = await runInSlices(recount(record), progress("ballots", countBallots(record)));
    if (run.aborted) return;
    const { botTurns } = recounted;
    const picks = await pickInWorker(botTurns, run, progress("picks", botTurns.length)).catch(() => null);
    this.show(run, { state: "finished", record, report: comparePicks(recounted, picks) });
  }

  private show(run: AbortSignal, verification: Verification): void {
    if (!run.aborted) this.store.set(verification);
  }
}

async function download(address: string): Promise<ArrayBuffer | null> {
  const answer = await fetchInTime(address, DOWNLOAD_WITHIN_MS);
  return answer.ok ? answer.arrayBuffer() : null;
}

/** The text, or null if it is not UTF-8. */
function decode(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
