import { read, write } from "../../live/browserStorage";
import { fetchInTime } from "../../live/connection/fetchInTime";
import type { TurnSealed } from "../../protocol";
import { toHex } from "../ballot/blind";
import { nodeHash, rootFromPath, textHash } from "./receiptProof";
import { hasRoots, sealedRoots, type ReceivedSeal } from "./receivedSeal";

const TIMEOUT_MS = 15_000;
/** Kept for all matches on this server. */
const CHECKPOINT_KEY = "crowdgame:log";
const EVIDENCE_KEY = "crowdgame:log:evidence";

/**
 * `differs`: the log lacks a seal, or contradicts what this phone saw of it. `restored`: a new log says that a backup of
 * the one that this phone saw was restored. `replaced`: a new log doesn't say that.
 */
export type LogFinding = "logged" | "restored" | "replaced" | "differs" | null;

/** `entry` is JSON text. */
interface ProvenEntry {
  entry: string;
  index: number;
  path: readonly string[];
}

/** The answer of `/record/CODE/N/log/KNOWN.json`. */
export interface LoggedSeals {
  checkpoint: string;
  seals: readonly ProvenEntry[];
  first_lot: ProvenEntry | null;
  restores: readonly ProvenEntry[];
  consistency: readonly string[];
}

interface Checkpoint {
  origin: string;
  size: number;
  root: string;
}

/** The checkpoint in a signed note (c2sp.org/tlog-checkpoint). Its signatures are for the witnesses to verify. */
function parseCheckpoint(note: string): Checkpoint {
  const [origin = "", size = "", root = ""] = note.split("\n");
  return { origin, size: Number(size), root: toHex([...atob(root)].map((char) => char.charCodeAt(0))) };
}

/**
 * Compares the seals that this phone received with the log, and the log with the checkpoint that this phone has kept.
 * `again` confirms a difference. Keeps what differs as evidence, also if the next answer doesn't differ.
 */
export async function checkLog(code: string, match: number, seals: readonly ReceivedSeal[], again: boolean): Promise<LogFinding> {
  const kept = read(CHECKPOINT_KEY);
  const known = kept ? parseCheckpoint(kept) : null;
  const size = known?.size ?? 0;
  const answer = await fetchInTime(`/record/${code}/${match}/log/${size}.json`, TIMEOUT_MS, { cache: again ? "reload" : "default" });
  if (!answer.ok) return null;
  const shown = (await answer.json()) as LoggedSeals;
  const newer = parseCheckpoint(shown.checkpoint);
  const history = !known || isConsistent(known, newer, shown.consistency) ? "logged" : isRestored(known, shown) ? "restored" : known.origin !== newer.origin ? "replaced" : "differs";
  const finding = hasSeals(shown, seals, known) ? history : "differs";
  if (finding === "differs" || finding === "replaced") write(EVIDENCE_KEY, `${kept ?? ""}\n${shown.checkpoint}\n${JSON.stringify(seals)}\n`);
  if (finding !== "differs" || (again && known && known.origin !== newer.origin)) write(CHECKPOINT_KEY, shown.checkpoint);
  return finding;
}

/** The checkpoint that this phone kept, the later one, and the seals that it received, for the witnesses. */
export const readEvidence = () => read(EVIDENCE_KEY);

const isIn = ({ size, root }: Checkpoint, { entry, index, path }: ProvenEntry) => rootFromPath(textHash(`\0${entry}`), { index, ballots: size, path }) === root;

/** Whether a new log says that a backup of the known one was restored, which can lose only entries after the backup. */
function isRestored(known: Checkpoint, shown: LoggedSeals): boolean {
  const newer = parseCheckpoint(shown.checkpoint);
  const continues = (restore: ProvenEntry) => known.size > restore.index || isConsistent({ ...known, origin: newer.origin }, newer, shown.consistency);
  return shown.restores.some((restore) => isIn(newer, restore) && (JSON.parse(restore.entry) as Checkpoint).origin === known.origin && continues(restore));
}

/**
 * Whether the checkpoint commits to all of the entries, and these have all of the seals. It needs no seal of turns
 * before the first lot of the log: an upgrade began it. A phone that knows the log knows a log with a lot.
 */
export function hasSeals(shown: LoggedSeals, seals: readonly ReceivedSeal[], known: Checkpoint | null): boolean {
  const [newer, { first_lot }] = [parseCheckpoint(shown.checkpoint), shown];
  const began = !first_lot ? Infinity : isIn(newer, first_lot) ? (JSON.parse(first_lot.entry) as TurnSealed).turn : 0;
  const mayBeOlder = !known || (!!first_lot && first_lot.index < known.size);
  const logged = shown.seals.map(({ entry }) => JSON.parse(entry) as TurnSealed);
  const isLogged = (seal: ReceivedSeal) => logged.some((entry) => entry.turn === seal.turn && entry.at === seal.at && hasRoots(sealedRoots(entry.at, entry), seal));
  const isOlder = ({ turn }: ReceivedSeal) => mayBeOlder && turn < began && !logged.some((entry) => entry.turn === turn);
  return shown.seals.every((entry) => isIn(newer, entry)) && seals.every((seal) => isLogged(seal) || isOlder(seal));
}

/** Whether the newer tree begins with the older one (RFC 9162, 2.1.4.2). */
export function isConsistent(older: Checkpoint, newer: Checkpoint, path: readonly string[]): boolean {
  if (older.origin !== newer.origin || older.size > newer.size) return false;
  if (older.size === newer.size) return older.root === newer.root;
  let [place, last] = [older.size - 1, newer.size - 1];
  for (; place & 1; last >>= 1) place >>= 1;
  const [first, ...rest] = place ? path : [older.root, ...path];
  if (!first) return false;
  let [old, root] = [first, first];
  for (const beside of rest) {
    if (!last) return false;
    if (place & 1 || place === last) {
      [old, root] = [nodeHash(beside, old), nodeHash(beside, root)];
      for (; place && !(place & 1); last >>= 1) place >>= 1;
    } else root = nodeHash(root, beside);
    [place, last] = [place >> 1, last >> 1];
  }
  return !last && old === older.root && root === newer.root;
}
