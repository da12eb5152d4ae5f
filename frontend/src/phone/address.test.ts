import assert from "node:assert/strict";
import test from "node:test";
import { readAddress } from "./address";

test("a code, a team and a key are read from the address, however they were typed", () => {
  assert.deepEqual(readAddress("/"), { code: null, team: null, key: null });
  assert.deepEqual(readAddress("/hjkm"), { code: "HJKM", team: null, key: null });
  assert.deepEqual(readAddress("/HJKM/2", "#bcd-fghj"), { code: "HJKM", team: 2, key: "BCDFGHJ" });
});

test("an empty fragment is no key", () => {
  assert.equal(readAddress("/HJKM", "#").key, null);
  assert.equal(readAddress("/HJKM", "#--").key, null);
});

test("a broken escape in the fragment does not keep anybody out", () => {
  assert.equal(readAddress("/HJKM", "#%E0%A4%A").code, "HJKM");
});
