export const toHex = (bytes: readonly number[]) => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A blinding factor of 16 random bytes, in hex, so that a counted ballot cannot be guessed from its hash. */
export function drawBlind(): string {
  return toHex([...crypto.getRandomValues(new Uint8Array(16))]);
}
