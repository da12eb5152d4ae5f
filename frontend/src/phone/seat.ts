/** What the phone keeps of an event. A browser that keeps nothing still plays, until it is reloaded. */
const memory = new Map<string, string>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return memory.get(key) ?? null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    if (value === null) memory.delete(key);
    else memory.set(key, value);
  }
}

export const readToken = (code: string) => read(`crowdgame:${code}`);
export const keepToken = (code: string, token: string | null) => write(`crowdgame:${code}`, token);

/** How a voter and its team got on in a match; `column` is the ballot of `turn`. */
export interface Record {
  match: number;
  turn: number;
  column: number | null;
  /** Whether they agreed, by the turn's number: a voided turn is voted again under the same number. */
  agreed: { [turn: number]: boolean };
}

export function readRecord(code: string, match: number): Record {
  const fresh = { match, turn: 0, column: null, agreed: {} };
  try {
    const kept = JSON.parse(read(`crowdgame:${code}:record`) ?? "null") as Record | null;
    return kept?.match === match ? kept : fresh;
  } catch {
    return fresh;
  }
}

export function keepRecord(code: string, record: Record): void {
  write(`crowdgame:${code}:record`, JSON.stringify(record));
}
