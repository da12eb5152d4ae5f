// Network access for pages: a connection that swallows data must not stop a page from trying again.

const ANSWER_WITHIN_MS = 10_000;

/** `fetch`, which fails unless the complete answer is there in time. */
export function fetchInTime(address, options = {}) {
  const limit = new AbortController(); // Safari 14 has no AbortSignal.timeout
  setTimeout(() => limit.abort(), ANSWER_WITHIN_MS);
  return fetch(address, { ...options, signal: limit.signal });
}

/** Calls back when the page becomes visible or the device is online again: what the page shows may be old. */
export function onWake(callback) {
  addEventListener("online", callback);
  document.addEventListener("visibilitychange", () => document.hidden || callback());
}
