/** Haptic feedback: a short vibration, if the device supports it. Browsers allow it only after a tap. */
export function vibrate(ms: number): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(ms);
}
