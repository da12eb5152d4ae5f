export const toHex = (bytes: readonly number[]) => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Sixteen bytes of chance, in hex: they keep a counted ballot from being guessed. */
export function drawBlind(): string {
  return toHex([...crypto.getRandomValues(new Uint8Array(16))]);
}
