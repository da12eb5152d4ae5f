import { sha256 } from "@noble/hashes/sha2.js"; // `crypto.subtle` is missing on pages served over plain HTTP

export type Hash = Uint8Array;

const encoder = new TextEncoder();
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(hash: Hash): string {
  let text = "";
  for (const byte of hash) text += HEX[byte]!;
  return text;
}

/** The SHA-256 of a text in UTF-8, as hex digits. */
export function textHash(text: string): string {
  return toHex(sha256(encoder.encode(text)));
}

/** The commitment to a seed that alone decides draws, as at the start of a match and in turns of earlier versions. */
export function lotHash(seed: string): string {
  return textHash(`crowdgame lot:${seed}`);
}

/** The commitment to a turn's seed. */
export function turnLotHash(seed: string): string {
  return textHash(`crowdgame lot 2:${seed}`);
}

/** A number from 0 to `count` - 1 that the text decides. */
export function draw(text: string, count: number): number {
  return Number(BigInt(`0x${textHash(text)}`) % BigInt(count));
}

/** The hash of a leaf of a tree. */
export function leafHash(text: string): Hash {
  const bytes = new Uint8Array(1 + 3 * text.length);
  const { written } = encoder.encodeInto(text, bytes.subarray(1));
  return sha256(bytes.subarray(0, 1 + written));
}

export function nodeHash(left: Hash, right: Hash): Hash {
  const bytes = new Uint8Array(65);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 33);
  return sha256(bytes);
}

/** The root of a Merkle tree (RFC 6962) over leaves that are added one by one. */
export class TreeRoot {
  /** The roots of complete subtrees, the largest first; `size` has a binary digit 1 for each. */
  private readonly subtrees: Hash[] = [];
  private size = 0;

  add(leaf: Hash): void {
    let root = leaf;
    for (let size = this.size++; size & 1; size >>= 1) root = nodeHash(this.subtrees.pop()!, root);
    this.subtrees.push(root);
  }

  get root(): Hash {
    if (!this.subtrees.length) return sha256(new Uint8Array());
    return this.subtrees.reduceRight((right, left) => nodeHash(left, right));
  }
}

export function compareHashes(one: Hash, other: Hash): number {
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return one[index]! - other[index]!;
  return 0;
}
