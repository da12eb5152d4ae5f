import { read, write } from "../../live/browserStorage";
import type { Receipt } from "../receipts/receipt";

/** The seat token. */
export const readToken = (code: string) => read(`crowdgame:${code}`);

/** Stores the seat token with the voter's team, which an organizer may have changed since the token was issued. */
export function storeToken(code: string, token: string | null, team = 0): void {
  write(`crowdgame:${code}`, token);
  write(`crowdgame:${code}:team`, token && `${team}`);
}

/** The team last confirmed for the stored seat, or else that of its token; 0 without a seat. */
export const storedTeam = (code: string) => Number(read(`crowdgame:${code}:team`) ?? /\.([12]):/.exec(readToken(code) ?? "")?.[1] ?? 0);

/** The ticket or key that was used to get the seat. */
export const readKey = (code: string) => read(`crowdgame:${code}:key`);
export const storeKey = (code: string, key: string) => write(`crowdgame:${code}:key`, key);

/** Whether to hide the vote from onlookers; applies to all events. */
export const isHiding = () => read("crowdgame:hiding") !== null;
export const storeHiding = (hiding: boolean) => write("crowdgame:hiding", hiding ? "1" : null);

/** Frees this device for the next person. */
export function forgetSeat(code: string): void {
  for (const kept of ["", ":team", ":key", ":read", ":record", ":receipts"]) write(`crowdgame:${code}${kept}`, null);
}

/** The results of a voter and its team in a match; `choice` is the ballot of `turn`. */
export interface MatchRecord {
  match: number;
  turn: number;
  choice: number | null;
  /** Whether they agreed, by turn number: a voided turn is voted again under the same number. */
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

export const receiptsKey = (code: string) => `crowdgame:${code}:receipts`;
export const hasReceipts = (code: string) => !!read(receiptsKey(code));

export function readReceipts(code: string, match: number): readonly Receipt[] {
  return readForMatch<Receipts>(receiptsKey(code), { match, receipts: [] }).receipts;
}

/** Those of the match of the last vote, for a page that doesn't know its id. */
export const readLastReceipts = (code: string): readonly Receipt[] => readKept<Receipts>(receiptsKey(code))?.receipts ?? [];

export function storeReceipts(code: string, match: number, receipts: readonly Receipt[]): void {
  write(receiptsKey(code), JSON.stringify({ match, receipts }));
}

/** The stored value if it belongs to this match, else `fresh`. */
function readForMatch<Kept extends { match: number }>(key: string, fresh: Kept): Kept {
  const kept = readKept<Kept>(key);
  return kept?.match === fresh.match ? kept : fresh;
}

/** The stored value; null if there is none, or if it can't be read. */
function readKept<Kept>(key: string): Kept | null {
  try {
    return JSON.parse(read(key) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}
