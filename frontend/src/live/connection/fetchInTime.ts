/** `fetch`, which fails unless the complete answer is there in time. */
export function fetchInTime(address: string, withinMs: number, options: RequestInit = {}): Promise<Response> {
  const limit = new AbortController(); // Safari 14 has no AbortSignal.timeout
  setTimeout(() => limit.abort(), withinMs);
  return fetch(address, { ...options, signal: limit.signal });
}
