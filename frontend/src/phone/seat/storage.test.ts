import assert from "node:assert/strict";
import test from "node:test";
import type { Receipt } from "../receipts/receipt";
import { forgetSeat, storeKey, storeReceipts, storeToken, readKey, readLastReceipts, readReceipts, readToken, storedTeam } from "./storage";

/** A browser's storage; if it is `full`, writes fail. */
class Storage {
  full = false;
  items = new Map<string, string>();
  getItem = (key: string) => this.items.get(key) ?? null;
  removeItem = (key: string) => void this.items.delete(key);
  setItem = (key: string, value: string) => {
    if (this.full) throw new Error("QuotaExceededError");
    this.items.set(key, value);
  };
}

function browser(): Storage {
  const storage = new Storage();
  Object.assign(globalThis, { localStorage: storage });
  return storage;
}

test("values that a full storage rejects are kept in memory and take precedence", () => {
  const storage = browser();
  storeToken("HJKM", "old");
  storage.full = true;
  storeToken("HJKM", "new");
  assert.equal(readToken("HJKM"), "new");
  storage.full = false;
  storeToken("HJKM", "newest");
  assert.equal(storage.items.get("crowdgame:HJKM"), "newest");
  assert.equal(readToken("HJKM"), "newest");
  storage.full = true;
  storeToken("HJKM", "again");
  storeToken("HJKM", null);
  assert.equal(readToken("HJKM"), null);
});

test("the team of a seat is the one last confirmed, or else that of its token", () => {
  browser().setItem("crowdgame:HJKM", "1.abc.1:sig");
  const teams = [storedTeam("HJKM")];
  for (const token of ["1.abc.1:sig", null]) {
    storeToken("HJKM", token, 2);
    teams.push(storedTeam("HJKM"));
  }
  assert.deepEqual(teams, [1, 2, 0]);
});

test("forgetSeat removes everything of one event and nothing of others", () => {
  const storage = browser();
  for (const code of ["HJKM", "OTHER"]) {
    storeToken(code, "seat", 1);
    storeKey(code, "BCDFGH");
    storeReceipts(code, 57, [{ turn: 5 } as Receipt]);
  }
  forgetSeat("HJKM");
  assert.deepEqual([readToken("HJKM"), readKey("HJKM")], [null, null]);
  assert.equal([...storage.items.keys()].filter((key) => key.includes("HJKM")).length, 0);
  assert.equal(readToken("OTHER"), "seat");
  assert.deepEqual([readReceipts("OTHER", 1), readReceipts("OTHER", 57).length], [[], 1]);
  assert.deepEqual([readLastReceipts("OTHER").map(({ turn }) => turn), readLastReceipts("HJKM")], [[5], []]);
});
