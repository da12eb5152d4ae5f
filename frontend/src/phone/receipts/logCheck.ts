import { read, write } from "../../live/browserStorage";
import { fetchInTime } from "../../live/connection/fetchInTime";
import type { TurnSealed } from "../../protocol";
import { toHex } from "../ballot/blind";
import { nodeHash, rootFromPath, textHash } from "./receiptProof";
import { hasRoots, type ReceivedSeal } from "./receivedSeal";

const TIMEOUT_MS = 15_000;
/** Kept for all matches on this server. */
const CHECKPOINT_KEY = "crowdgame:log";
const EVIDENCE_KEY = "crowdgame:log:evidence";

/** `differs`: the log lacks a seal, or isn't the log that this phone saw before. */
export type LogFinding = "logged" | "differs" | null;

/** The answer of `/record/CODE/N/log/KNOWN.json`. Each entry is the JSON text of a seal. */
export interface LoggedSeals {
  checkpoint: string;
  seals: readonly { entry: string; index: number; path: readonly string[] }[];
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
 * `again` confirms a difference: both checkpoints are then kept as evidence.
 */
export async function checkLog(code: string, match: number, seals: readonly ReceivedSeal[], again: boolean): Promise<LogFinding> {
  const known = read(CHECKPOINT_KEY);
  const size = known ? parseCheckpoint(known).size : 0;
  const answer = await fetchInTime(`/record/${code}/${match}/log/${size}.json`, TIMEOUT_MS, { cache: again ? "reload" : "default" });
  if (!answer.ok) return null;
  const shown = (await answer.json()) as LoggedSeals;
  const isSame = !known || isConsistent(parseCheckpoint(known), parseCheckpoint(shown.checkpoint), shown.consistency);
  const finding = isSame && hasSeals(shown, seals) ? "logged" : "differs";
  if (finding === "differs" && again) write(EVIDENCE_KEY, `${known ?? ""}\n${shown.checkpoint}`);
  if (finding === "logged" || (again && known && isNewLog(known, shown.checkpoint))) write(CHECKPOINT_KEY, shown.checkpoint);
  return finding;
}

/** The checkpoints that contradict each other, for the witnesses. */
export const readEvidence = () => read(EVIDENCE_KEY);

/** As after a restored backup, which is worth one warning. */
const isNewLog = (known: string, shown: string) => parseCheckpoint(known).origin !== parseCheckpoint(shown).origin;

/** Whether the checkpoint commits to all of the entries, and these have all of the seals. */
export function hasSeals(shown: LoggedSeals, seals: readonly ReceivedSeal[]): boolean {
  const { size, root } = parseCheckpoint(shown.checkpoint);
  const isIn = ({ entry, index, path }: LoggedSeals["seals"][number]) => rootFromPath(textHash(`\0${entry}`), { index, ballots: size, path }) === root;
  const logged = shown.seals.map(({ entry }) => JSON.parse(entry) as TurnSealed);
  const isLogged = (seal: ReceivedSeal) => logged.some(({ turn, at, red, yellow, turn_commitment }) => turn === seal.turn && at === seal.at && hasRoots({ at, red: red?.root ?? null, yellow: yellow?.root ?? null, turn_commitment }, seal));
  return shown.seals.every(isIn) && seals.every(isLogged);
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
