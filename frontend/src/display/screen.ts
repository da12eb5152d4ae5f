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
