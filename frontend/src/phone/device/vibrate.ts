/** A short buzz where the phone can; a browser lets a page do so only after a touch. */
export function vibrate(ms: number): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(ms);
}
