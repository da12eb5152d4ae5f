import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import fc from "fast-check";
import { draw, leafHash, nodeHash, textHash, toHex, TreeRoot, type Hash } from "./hashes";

/** The definition in RFC 6962, 2.1. */
function definedRoot(leaves: readonly Hash[]): Hash {
  if (leaves.length < 2) return leaves[0] ?? createHash("sha256").digest();
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return nodeHash(definedRoot(leaves.slice(0, half)), definedRoot(leaves.slice(half)));
}

test("the root of a tree is that of RFC 6962", () => {
  fc.assert(fc.property(fc.array(fc.string(), { maxLength: 70 }), (texts) => {
    const leaves = texts.map(leafHash);
    const tree = new TreeRoot();
    for (const leaf of leaves) tree.add(leaf);
    assert.equal(toHex(tree.root), toHex(definedRoot(leaves)));
  }));
});

test("leaves and texts are hashed in UTF-8", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    assert.equal(toHex(leafHash(text)), createHash("sha256").update("\0").update(text).digest("hex"));
    assert.equal(textHash(text), createHash("sha256").update(text).digest("hex"));
  }));
});

test("a draw is the hash modulo the number of choices", () => {
  // SHA-256("abc") = ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad
  assert.equal(draw("abc", 16), 0xd);
  assert.equal(draw("abc", 256), 0xad);
  assert.equal(draw("abc", 1), 0);
});
