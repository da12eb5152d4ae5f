/** What the browser stores (localStorage). Without storage everything works until a reload. */
const memory = new Map<string, string>();

/** A value in memory that could not be stored is newer than the stored one. */
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
