import assert from "node:assert/strict";
import test from "node:test";
import { fingerprint, formatClock, formatLongTime } from "./format";

test("a fingerprint has 128 bits in groups of four digits", () => {
  const root = "4f2a91c07be35d680123456789abcdef" + "f".repeat(32);
  assert.equal(fingerprint(root), "4f2a 91c0 7be3 5d68 0123 4567 89ab cdef");
});

test("time left is rounded up to seconds, and written in two units from an hour on", () => {
  assert.deepEqual([6_001, 65_000, 3_599_001].map(formatClock), ["7", "1:05", ""]);
  assert.deepEqual([3_600_000 * 3.5, 86_400_000 * 2.25].map(formatLongTime), ["3h 30m", "2d 6h"]);
});
