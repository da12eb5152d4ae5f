import assert from "node:assert/strict";
import test from "node:test";
import { readAddress } from "./address";

test("code, team and key are read from the address in either case", () => {
  assert.deepEqual(readAddress("/"), { code: null, team: null, key: null });
  assert.deepEqual(readAddress("/hjkm"), { code: "HJKM", team: null, key: null });
  assert.deepEqual(readAddress("/HJKM/2", "#bcdfghj"), { code: "HJKM", team: 2, key: "BCDFGHJ" });
});

test("an embedded page names its event, and no team", () => {
  assert.deepEqual(readAddress("/embed/hjkm/phone"), { code: "HJKM", team: null, key: null });
});

test("an empty fragment is not a key", () => {
  assert.equal(readAddress("/HJKM", "#").key, null);
});

test("a malformed escape in the fragment is ignored", () => {
  assert.equal(readAddress("/HJKM", "#%E0%A4%A").code, "HJKM");
});
