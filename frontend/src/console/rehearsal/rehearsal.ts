import { formatNumber } from "../../live/format";
import { Store } from "../../live/state/useStore";
import type { RehearsalUpdated, ToConsole } from "../../protocol";

const FEW_VOTES = 100;

/** The last known state of the simulated crowd. There is one per event, whichever console started it. */
export class Rehearsal {
  readonly store = new Store<{ latest: RehearsalUpdated | null }>({ latest: null });

  receive(message: ToConsole): void {
    if (message.type === "console.welcomed") this.store.set({ latest: null });
    if (message.type === "rehearsal.updated") this.store.set({ latest: message });
  }
}

/** The crowd's state in one sentence. */
export function rehearsalSummary({ sent, acknowledged, lost, ack_p99_ms, running }: RehearsalUpdated): string {
  if (!sent) return running ? "No votes yet. The crowd votes when a turn opens." : "No votes were cast.";
  if (lost) return `${formatNumber(lost)} of ${plural(sent)} lost.`;
  const speed = ack_p99_ms === null ? "" : `; ${answers(sent)} ${milliseconds(ack_p99_ms)}`;
  if (acknowledged >= sent) return `${sent === 1 ? "The one vote" : `All ${plural(sent)}`} counted${speed}.`;
  return `${formatNumber(acknowledged)} of ${plural(sent)} counted so far${speed}.`;
}

/** Few votes: the slowest answer. Many votes: the 99th percentile. */
function answers(sent: number): string {
  return sent > FEW_VOTES ? "99% of replies came within" : "the slowest reply took";
}

function plural(votes: number): string {
  return votes === 1 ? "1 vote" : `${formatNumber(votes)} votes`;
}

/** The metrics below it, each with its meaning. */
export function rehearsalMetrics(latest: RehearsalUpdated): readonly (readonly [figure: string, meaning: string])[] {
  return [
    [`${formatNumber(latest.connected)} of ${formatNumber(latest.phones)}`, "phones joined"],
    [formatNumber(latest.acknowledged), "votes counted"],
    [latest.lost ? formatNumber(latest.lost) : "None", "lost"],
    [milliseconds(latest.ack_p99_ms), "from vote to reply"],
    [milliseconds(latest.reveal_p99_ms), "from deadline to result"],
  ];
}

function milliseconds(ms: number | null): string {
  return ms === null ? "–" : `${formatNumber(ms)}\u00a0ms`;
}
