import type { Findings, Reason } from "./findings";
import { lotHash } from "./hashes";
import type { MatchRecord, TurnCount, VoidTurn } from "./record";

/** A restored backup raises the epoch by at least this much. */
const BACKUP_EPOCH_LEAP = 1000;

/** Checks what happened besides the counted ballots: lost ballot boxes, void seals, void turns and the state of the match. */
export function checkHistory(record: MatchRecord, findings: Findings): void {
  record.counts.forEach((count, index) => checkTurn(count, index, findings));
  checkVoidTurns(record, findings);
  const { state, result } = record;
  if (state !== null) findings.expect((state === "ended") === (result !== "open"), null, null, "state", "other-state", state, result === "open" ? ["playing", "aborted"] : "ended");
}

function checkTurn({ epoch, restored, void_seals, sealed_at }: TurnCount, index: number, findings: Findings): void {
  const fits = epoch > BACKUP_EPOCH_LEAP ? restored === "backup" : epoch > 1 ? restored === "phones" || restored === "database" : restored === null;
  if (!fits) findings.fail(index, null, "box", "restored", [restored, epoch]);
  else if (restored) findings.skip(index, null, "box", "box-lost");
  if (!void_seals.length) return;
  const times = [sealed_at, ...void_seals.map(({ at }) => at)];
  findings.expect(new Set(times).size === times.length, index, null, "void-seals", "seal-time");
}

/** Reports the first fault only. */
function checkVoidTurns(record: MatchRecord, findings: Findings): void {
  if (!record.voided.length) return;
  const seeds = new Set(record.counts.map(({ seed }) => seed));
  let last = 0;
  for (const turn of record.voided) {
    const fault = voidTurnFault(turn, record, last) ?? (seeds.has(turn.seed) ? "void-seed" : null);
    if (fault) return findings.fail(null, null, "voided", fault, turn.turn);
    last = turn.turn;
    seeds.add(turn.seed);
  }
  findings.skip(null, null, "voided", "void-ballots");
}

function voidTurnFault({ turn, number, lot, seed, voided_at, reason }: VoidTurn, { counts }: MatchRecord, last: number): Reason | null {
  if (turn <= last) return "void-order";
  if (counts.some((count) => count.turn === turn)) return "void-counts";
  if (turn > (counts[number - 1]?.turn ?? Infinity)) return "void-late";
  if (lotHash(seed) !== lot) return "void-lot";
  return (voided_at === null) === (reason === null) ? null : "void-half";
}
