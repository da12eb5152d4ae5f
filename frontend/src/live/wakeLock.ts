/** Keeps the screen on (wake lock), if the browser allows it: only over HTTPS or on localhost, not on low battery. */
export function keepScreenAwake(): void {
  const ask = () => document.hidden || navigator.wakeLock?.request("screen").catch(() => undefined);
  document.addEventListener("visibilitychange", ask);
  void ask();
}
