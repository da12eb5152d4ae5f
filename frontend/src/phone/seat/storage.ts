import type { Receipt } from "../receipts/receipt";

/** What the phone keeps of an event. A browser that keeps nothing still plays, until it is reloaded. */
const memory = new Map<string, string>();

/** What could not be written is newer than what is there. */
export function read(key: string): string | null {
  try {
    return memory.get(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function write(key: string, value: string | null): void {
  memory.delete(key);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    if (value !== null) memory.set(key, value);
  }
}

export const readToken = (code: string) => read(`crowdgame:${code}`);
export const storeToken = (code: string, token: string | null) => write(`crowdgame:${code}`, token);

/** The team that a kept seat is in; 0: there is none. */
export const storedTeam = (code: string) => Number(/\.([12]):/.exec(readToken(code) ?? "")?.[1] ?? 0);

/** What was shown at the door for the seat. */
export const readKey = (code: string) => read(`crowdgame:${code}:key`);
export const storeKey = (code: string, key: string) => write(`crowdgame:${code}:key`, key);

/** Whether the vote is to be kept from those who look over a shoulder: in all events. */
export const isHiding = () => read("crowdgame:hiding") !== null;
export const storeHiding = (hiding: boolean) => write("crowdgame:hiding", hiding ? "1" : null);

/** For the next person on this device. */
export function forgetSeat(code: string): void {
  for (const kept of ["", ":key", ":read", ":record", ":receipts"]) write(`crowdgame:${code}${kept}`, null);
}

/** How a voter and its team got on in a match; `choice` is the ballot of `turn`. */
export interface MatchRecord {
  match: number;
  turn: number;
  choice: number | null;
  /** Whether they agreed, by the turn's number: a voided turn is voted again under the same number. */
  agreed: { [turn: number]: boolean };
}

export const NO_RECORD: MatchRecord = { match: 0, turn: 0, choice: null, agreed: {} };

export function readRecord(code: string, match: number): MatchRecord {
  return readForMatch<MatchRecord>(`crowdgame:${code}:record`, { ...NO_RECORD, match });
}

export function storeRecord(code: string, record: MatchRecord): void {
  write(`crowdgame:${code}:record`, JSON.stringify(record));
}

interface Receipts {
  match: number;
  receipts: readonly Receipt[];
}

export const hasReceipts = (code: string) => !!read(`crowdgame:${code}:receipts`);

export function readReceipts(code: string, match: number): readonly Receipt[] {
  return readForMatch<Receipts>(`crowdgame:${code}:receipts`, { match, receipts: [] }).receipts;
}

export function storeReceipts(code: string, match: number, receipts: readonly Receipt[]): void {
  write(`crowdgame:${code}:receipts`, JSON.stringify({ match, receipts }));
}

/** What is kept under a key if it is of this match, else `fresh`. */
function readForMatch<Kept extends { match: number }>(key: string, fresh: Kept): Kept {
  try {
    const kept = JSON.parse(read(key) ?? "null") as Kept | null;
    return kept?.match === fresh.match ? kept : fresh;
  } catch {
    return fresh;
  }
}
