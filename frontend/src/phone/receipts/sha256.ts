/** SHA-256 (FIPS 180-4), because `crypto.subtle` is missing on pages served over plain HTTP. */

const PRIMES: number[] = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);

const fraction = (x: number) => ((x % 1) * 2 ** 32) | 0;
/** The constants are the first fractional bits of the primes' roots. */
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

export function sha256(message: readonly number[]): number[] {
  const words = padded(message);
  let hash = START;
  for (let at = 0; at < words.length; at += 16) hash = mixed(hash, words.slice(at, at + 16));
  return hash.flatMap((word) => [word >>> 24, (word >> 16) & 255, (word >> 8) & 255, word & 255]);
}

function padded(message: readonly number[]): number[] {
  const words = Array.from({ length: (((message.length + 8) >> 6) + 1) * 16 }, () => 0);
  [...message, 128].forEach((byte, i) => (words[i >> 2]! |= byte << (24 - (i % 4) * 8)));
  words[words.length - 1] = message.length * 8;
  return words;
}

function mixed(hash: readonly number[], w: number[]): number[] {
  let state = hash;
  ROUNDS.forEach((constant, i) => {
    if (i > 15) w[i] = (w[i - 16]! + turned(w[i - 15]!, 7, 18, 0, 3) + w[i - 7]! + turned(w[i - 2]!, 17, 19, 0, 10)) | 0;
    const [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
    const t = h + turned(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + constant + w[i]!;
    state = [(t + turned(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c))) | 0, a, b, c, (d + t) | 0, e, f, g];
  });
  return hash.map((word, i) => (word + state[i]!) | 0);
}

/** The XOR of a word rotated right by each number of bits (0: none) and of the word shifted right by `shift`. */
function turned(x: number, one: number, two: number, three: number, shift = 0): number {
  const turn = (bits: number) => (x >>> bits) | (x << (32 - bits));
  return turn(one) ^ turn(two) ^ (three ? turn(three) : x >>> shift);
}
