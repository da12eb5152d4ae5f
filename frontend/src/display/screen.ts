/**
 * What the control room's link gives a projector in its fragment. It is kept for this tab, to be loaded again, and
 * not in the address: a hall may photograph that.
 */
export function ownKey(code: string): string | null {
  const name = `crowdgame:${code}:projector`;
  addEventListener("hashchange", () => location.reload());
  const given = location.hash.slice(1);
  try {
    if (given) sessionStorage.setItem(name, given);
    if (given) history.replaceState(null, "", location.pathname);
    return sessionStorage.getItem(name);
  } catch {
    return given || null;
  }
}

/** `F` fills the screen, and leaves it again. */
export function onKeys(): void {
  addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey }) => {
    if (key.toLowerCase() !== "f" || ctrlKey || metaKey || altKey) return;
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen();
  });
}

/** A browser holds the screen awake only over https or on localhost; elsewhere the laptop's own setting must do. */
export function keepAwake(): void {
  if (!("wakeLock" in navigator)) return;
  const hold = () => {
    if (document.visibilityState === "visible") navigator.wakeLock.request("screen").catch(refused);
  };
  document.addEventListener("visibilitychange", hold);
  hold();
}

/** A browser refuses on low battery, and says so by itself. */
function refused(): void {}
