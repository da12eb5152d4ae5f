import assert from "node:assert/strict";
import test from "node:test";
import { fingerprint } from "./format";

test("a fingerprint has 128 bits in groups of four digits", () => {
  const root = "4f2a91c07be35d680123456789abcdef" + "f".repeat(32);
  assert.equal(fingerprint(root), "4f2a 91c0 7be3 5d68 0123 4567 89ab cdef");
});
