import { thousands } from "../live/format";
import { Store } from "../live/store";
import type { RehearsalTold, ToConsole } from "../protocol";

const A_FEW = 100;

/** The simulated crowd as it was told last: one an event, by whichever control room it was started. */
export class Rehearsal {
  readonly store = new Store<{ told: RehearsalTold | null }>({ told: null });

  hear(message: ToConsole): void {
    if (message.type === "console.welcomed") this.store.set({ told: null });
    if (message.type === "rehearsal.told") this.store.set({ told: message });
  }
}

/** How it fares, in one sentence. */
export function verdict({ sent, acknowledged, lost, ack_p99_ms, running }: RehearsalTold): string {
  if (!sent) return running ? "No votes yet: they vote as soon as a turn is open." : "No votes were cast.";
  if (lost) return `${plural(lost)} of ${thousands(sent)} lost.`;
  const speed = ack_p99_ms === null ? "" : `; ${answers(sent)} ${milliseconds(ack_p99_ms)}`;
  if (acknowledged >= sent) return `${sent === 1 ? "The one vote" : `All ${plural(sent)}`} counted${speed}.`;
  return `${thousands(acknowledged)} of ${plural(sent)} counted so far${speed}.`;
}

/** Of a few, all but one in a hundred are all. */
function answers(sent: number): string {
  return sent > A_FEW ? "99 of 100 answers came within" : "the slowest answer took";
}

function plural(votes: number): string {
  return votes === 1 ? "1 vote" : `${thousands(votes)} votes`;
}

/** The figures below it, each with what it means. */
export function figures(told: RehearsalTold): readonly (readonly [figure: string, meaning: string])[] {
  return [
    [`${thousands(told.connected)} of ${thousands(told.phones)}`, "phones are in"],
    [thousands(told.acknowledged), "votes counted"],
    [told.lost ? thousands(told.lost) : "None", "lost"],
    [milliseconds(told.ack_p99_ms), "from vote to answer"],
    [milliseconds(told.reveal_p99_ms), "from deadline to result"],
  ];
}

function milliseconds(ms: number | null): string {
  return ms === null ? "–" : `${thousands(ms)}\u00a0ms`;
}
