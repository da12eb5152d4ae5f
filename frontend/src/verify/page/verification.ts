import { Store } from "../../live/state/store";
import type { Report } from "../findings";
import type { MatchRecord } from "../record";
import { countBallots, parseRecord, recount } from "../recount";
import { runInSlices } from "../slices";

export type Verification =
  | { readonly state: "empty" }
  | { readonly state: "unreadable"; readonly reason: "unavailable" | "not-a-record" }
  | { readonly state: "running"; readonly done: number; readonly ballots: number }
  | { readonly state: "finished"; readonly record: MatchRecord | null; readonly report: Report };

/** The verification shown by the page. A new file replaces an earlier one, even while that is being recounted. */
export class Verifier {
  readonly store = new Store<Verification>({ state: "empty" });
  private latest = 0;

  /** Verifies a file that the reader chose. */
  async verifyFile(file: Blob): Promise<void> {
    const run = ++this.latest;
    this.show(run, { state: "running", done: 0, ballots: 0 });
    try {
      await this.verifyBytes(run, await file.arrayBuffer());
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
      this.show(run, { state: "unreadable", reason: "not-a-record" }); // not a file, or not UTF-8
    }
  }

  /** Downloads a record of this server and verifies it. */
  async verifyMatch(code: string, match: string): Promise<void> {
    const run = ++this.latest;
    this.show(run, { state: "running", done: 0, ballots: 0 });
    const answer = await fetch(`/record/${code}/${match}.json`).catch(() => null);
    if (answer?.ok) await this.verifyFile(await answer.blob());
    else this.show(run, { state: "unreadable", reason: "unavailable" });
  }

  private async verifyBytes(run: number, bytes: ArrayBuffer): Promise<void> {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const parsed = await runInSlices(parseRecord(text), () => {});
    if ("report" in parsed) {
      const isRecord = parsed.report.findings.every(({ reason }) => reason !== "not-a-record");
      return this.show(run, isRecord ? { state: "finished", record: null, report: parsed.report } : { state: "unreadable", reason: "not-a-record" });
    }
    const { record } = parsed;
    const ballots = countBallots(record);
    this.show(run, { state: "running", done: 0, ballots });
    const report = await runInSlices(recount(record), (done) => this.show(run, { state: "running", done, ballots }));
    this.show(run, { state: "finished", record, report });
  }

  private show(run: number, verification: Verification): void {
    if (run === this.latest) this.store.set(verification);
  }
}
