import type { Findings, Reason } from "./findings";
import { lotHash, turnLotHash } from "./hashes";
import type { MatchRecord, PublishedSeal, TurnCount, VoidTurn } from "./record";

/** A restored backup raises the epoch by at least this much. */
const BACKUP_EPOCH_LEAP = 1000;

/** The version of the record from which on it lists all seals. */
const LISTS_SEALS = 4;

/** Checks what happened besides the counted ballots: lost ballot boxes, replaced seals, void turns and the state of the match. */
export function checkHistory(record: MatchRecord, findings: Findings): void {
  record.counts.forEach((count, index) => {
    checkBox(count, index, findings);
    if (record.version >= LISTS_SEALS) checkSeals(record, index, findings);
    else if (count.void_seals.length) findings.expect(areAtDifferentTimes([count.sealed_at, ...count.void_seals.map(({ at }) => at)]), index, null, "seals", "seal-time");
  });
  if (record.version < LISTS_SEALS && record.counts.length) findings.skip(null, null, "seals", "seals-unlisted");
  checkVoidTurns(record, findings);
  const { state, result } = record;
  if (state !== null) findings.expect((state === "ended") === (result !== "open"), null, null, "state", "other-state", state, result === "open" ? ["playing", "aborted"] : "ended");
}

function checkBox({ epoch, restored }: TurnCount, index: number, findings: Findings): void {
  const fits = epoch > BACKUP_EPOCH_LEAP ? restored === "backup" : epoch > 1 ? restored === "phones" || restored === "database" : restored === null;
  if (!fits) findings.fail(index, null, "box", "restored", [restored, epoch]);
  else if (restored) findings.skip(index, null, "box", "box-lost");
}

function checkSeals(record: MatchRecord, index: number, findings: Findings): void {
  const { seals } = record.counts[index]!;
  if (!isCounted(seals[seals.length - 1], record, index)) findings.fail(index, null, "seals", "seal-not-counted");
  else if (!areAtDifferentTimes(seals.map(({ at }) => at))) findings.fail(index, null, "seals", "seal-time");
  else if (!haveCauses(seals)) findings.fail(index, null, "seals", "seal-cause");
  else if (seals.length > 1) findings.skip(index, null, "seals", "seal-replaced");
  else findings.pass(index, null, "seals");
}

/** Whether the seal is the one that follows from the count. */
function isCounted(seal: PublishedSeal | undefined, { counts, sides }: MatchRecord, index: number): boolean {
  const { sealed_at, epoch, red, yellow } = counts[index]!;
  const open = sides ? null : { red, yellow };
  const commitment = sides?.[index]?.turn_commitment ?? null;
  if (!seal || seal.void || seal.at !== sealed_at || seal.epoch !== epoch) return false;
  return seal.red === (open?.red?.root ?? null) && seal.yellow === (open?.yellow?.root ?? null) && seal.turn_commitment === commitment;
}

function areAtDifferentTimes(times: readonly unknown[]): boolean {
  return new Set(times).size === times.length;
}

/** Whether each seal but the last has a cause. Only a lost ballot box begins a new epoch. */
function haveCauses(seals: readonly PublishedSeal[]): boolean {
  return seals.slice(0, -1).every(({ epoch, void: cause }, index) => {
    if (!cause || (cause.reason === "box_lost") !== cause.epoch > epoch) return false;
    return epoch <= cause.epoch && cause.epoch <= seals[index + 1]!.epoch;
  });
}

/** Reports the first fault only. */
function checkVoidTurns(record: MatchRecord, findings: Findings): void {
  if (!record.voided.length) return;
  const seeds = new Set(record.counts.map(({ seed }) => seed));
  let last = 0;
  for (const turn of record.voided) {
    const unexplained = record.version >= LISTS_SEALS && !haveCauses(turn.seals);
    const fault = voidTurnFault(turn, record, last) ?? (seeds.has(turn.seed) ? "void-seed" : unexplained ? "void-cause" : null);
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
  if (lotHash(seed) !== lot && turnLotHash(seed) !== lot) return "void-lot";
  return (voided_at === null) === (reason === null) ? null : "void-half";
}
