/** Keeps the screen on where the browser lets a page do so (it must have come over https). */
export function keepScreenAwake(): void {
  const ask = () => document.hidden || navigator.wakeLock?.request("screen").catch(() => undefined);
  document.addEventListener("visibilitychange", ask);
  void ask();
}
