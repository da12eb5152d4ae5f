import { n, p, t } from "../../live/i18n";
import { formatNumber } from "../../live/format";
import { Store } from "../../live/state/useStore";
import type { EventState, RehearsalUpdated, ToConsole } from "../../protocol";

const FEW_VOTES = 100;

/** The last known state of the simulated crowd. There is one per event, whichever console started it. */
export class Rehearsal {
  readonly store = new Store<{ latest: RehearsalUpdated | null }>({ latest: null });

  receive(message: ToConsole): void {
    if (message.type === "console.welcomed") this.store.set({ latest: null });
    if (message.type === "rehearsal.updated") this.store.set({ latest: message });
  }
}

/** Why the simulated crowd can't join the event now; empty if it can. */
export function rehearsalObstacle({ lobby, admission }: EventState): string {
  if (lobby !== "open") return t("Open the lobby first. The simulated crowd joins like voters do.");
  const needsTickets = admission === "tickets" || admission === "roster";
  return needsTickets ? t("The simulated crowd has no tickets. Use manage.py rehearse --tickets instead.") : "";
}

/** The crowd's state in one sentence. */
export function rehearsalSummary({ sent, acknowledged, lost, ack_p99_ms, running }: RehearsalUpdated): string {
  if (!sent) return running ? t("No votes yet. The crowd votes when a turn opens.") : t("No votes were cast.");
  const votes = formatNumber(sent);
  if (lost) return n("%(lost)s of %(votes)s vote lost.", "%(lost)s of %(votes)s votes lost.", sent, { lost: formatNumber(lost), votes });
  const counted =
    acknowledged >= sent
      ? n("%(votes)s vote counted.", "All %(votes)s votes counted.", sent, { votes })
      : n("%(some)s of %(votes)s vote counted so far.", "%(some)s of %(votes)s votes counted so far.", sent, { some: formatNumber(acknowledged), votes });
  return ack_p99_ms === null ? counted : `${counted} ${answers(sent, milliseconds(ack_p99_ms))}`;
}

/** Few votes: the slowest answer. Many votes: the 99th percentile. */
function answers(sent: number, time: string): string {
  return sent > FEW_VOTES ? t("99% of replies came within %(time)s.", { time }) : t("The slowest reply took %(time)s.", { time });
}

/** The metrics below it, each with its meaning. */
export function rehearsalMetrics(latest: RehearsalUpdated): readonly (readonly [figure: string, meaning: string])[] {
  return [
    [t("%(connected)s of %(phones)s", { connected: formatNumber(latest.connected), phones: formatNumber(latest.phones) }), t("phones joined")],
    [formatNumber(latest.acknowledged), t("votes counted")],
    [latest.lost ? formatNumber(latest.lost) : p("votes lost", "None"), t("votes lost")],
    [milliseconds(latest.ack_p99_ms), t("from vote to reply")],
    [milliseconds(latest.reveal_p99_ms), t("from deadline to result")],
  ];
}

function milliseconds(ms: number | null): string {
  return ms === null ? "–" : p("duration", "%(count)s\u00a0ms", { count: formatNumber(ms) });
}
