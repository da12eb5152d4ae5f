import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { read, write } from "../../live/browserStorage";
import { checkLog, hasSeals, isConsistent, readEvidence, type LoggedSeals } from "./logCheck";
import { nodeHash, textHash } from "./receiptProof";
import type { ReceivedSeal } from "./receivedSeal";

const SIZES = 9;
const ROOT = "1".repeat(64);
const ELSEWHERE = "0".repeat(64);
const entry = (turn: number, root = ROOT) => JSON.stringify({ type: "seal 1", turn, at: 100 * turn, epoch: 1, red: { root, ballots: 2 } });
const lot = (turn: number) => JSON.stringify({ type: "lot 1", turn, lot: ROOT });
const restore = (origin: string) => JSON.stringify({ type: "restored 1", origin });
const ENTRIES = Array.from({ length: SIZES }, (_, index) => entry(index + 1));

/** RFC 6962, 2.1: the tree hash, inclusion and consistency proofs as they are defined. */
const split = (size: number) => 2 ** Math.ceil(Math.log2(size) - 1);
function treeHash(entries: readonly string[]): string {
  if (entries.length === 1) return textHash(`\0${entries[0]}`);
  const left = split(entries.length);
  return nodeHash(treeHash(entries.slice(0, left)), treeHash(entries.slice(left)));
}
function inclusion(index: number, entries: readonly string[]): string[] {
  if (entries.length === 1) return [];
  const left = split(entries.length);
  return index < left ? [...inclusion(index, entries.slice(0, left)), treeHash(entries.slice(left))] : [...inclusion(index - left, entries.slice(left)), treeHash(entries.slice(0, left))];
}
function consistency(older: number, entries: readonly string[], whole = true): string[] {
  if (older === entries.length) return whole ? [] : [treeHash(entries)];
  const left = split(entries.length);
  return older <= left ? [...consistency(older, entries.slice(0, left), whole), treeHash(entries.slice(left))] : [...consistency(older - left, entries.slice(left), false), treeHash(entries.slice(0, left))];
}

const checkpoint = (entries: readonly string[], origin = "log") => ({ origin, size: entries.length, root: treeHash(entries) });
const note = (entries: readonly string[], origin = "log") => `${origin}\n${entries.length}\n${Buffer.from(treeHash(entries), "hex").toString("base64")}\n\n— log c2lnbmVk\n`;
const seal = (turn: number, red = ROOT): ReceivedSeal => ({ turn, number: turn, at: 100 * turn, red, yellow: null, epoch: 1, closes_at: 0, lot: null, revealed: true, seen: null, missed: false });

/** The server's answer to a phone that has a checkpoint of `known` entries. The match has the turns from `first` on. */
function answer(entries: readonly string[], first: number, known: number, origin = "log"): LoggedSeals {
  const proven = entries.map((text, index) => ({ entry: text, index, path: inclusion(index, entries), ...(JSON.parse(text) as { type: string; turn?: number }) }));
  const [seals, lots, restores] = ["seal 1", "lot 1", "restored 1"].map((kind) => proven.filter(({ type, turn = first }) => type === kind && (kind !== "seal 1" || turn >= first)));
  return { checkpoint: note(entries, origin), seals: seals!, first_lot: lots![0] ?? null, restores: restores!, consistency: known > 0 && known < entries.length ? consistency(known, entries) : [] };
}

test("only a log that begins with the older one is consistent", () => {
  for (let size = 1; size <= SIZES; size++)
    for (let older = 1; older <= size; older++) {
      const [old, now, path] = [checkpoint(ENTRIES.slice(0, older)), checkpoint(ENTRIES.slice(0, size)), consistency(older, ENTRIES.slice(0, size))];
      assert.ok(isConsistent(old, now, path), `${older} ${size}`);
      assert.ok(!isConsistent({ ...old, root: ELSEWHERE }, now, path));
      assert.ok(!isConsistent(old, { ...now, root: ELSEWHERE }, path));
      assert.ok(!isConsistent(old, { ...now, origin: "other" }, path));
      if (older < size) {
        assert.ok(!isConsistent(now, old, path));
        assert.ok(!isConsistent(old, now, path.slice(1)));
        assert.ok(!isConsistent(old, now, [...path, ELSEWHERE]));
        for (let at = 0; at < path.length; at++) assert.ok(!isConsistent(old, now, path.map((hash, index) => (index === at ? ELSEWHERE : hash))));
      }
    }
});

test("only seals that the checkpoint commits to are in the log", () => {
  const shown = answer(ENTRIES.slice(0, 7), 3, 0);
  const known = checkpoint(ENTRIES.slice(0, 2));
  const seals = [3, 4, 5, 6, 7].map((turn) => seal(turn));
  assert.ok(hasSeals(shown, seals, known));
  assert.ok(hasSeals(shown, seals.slice(1), known), "this phone joined later");
  assert.ok(!hasSeals(shown, [...seals, seal(8)], known), "left out");
  assert.ok(!hasSeals(shown, [seal(3, ELSEWHERE)], known), "another root");
  assert.ok(!hasSeals(shown, [{ ...seal(3), at: 1 }], known), "another time");
  const [first, ...rest] = shown.seals;
  assert.ok(!hasSeals({ ...shown, seals: [{ ...first!, entry: entry(3, ELSEWHERE) }, ...rest] }, [seal(3, ELSEWHERE)], known), "not in the tree");
  assert.ok(!hasSeals({ ...shown, seals: [{ ...first!, index: 1 }, ...rest] }, seals, known), "another place");
});

test("only seals of turns before the first lot may be missing, and only if this phone knows no log without it", () => {
  const [entries, seals] = [[entry(4), lot(5), entry(5), lot(6), entry(6)], [3, 4, 5, 6].map((turn) => seal(turn))];
  const shown = answer(entries, 3, 0);
  const [none, later, earlier] = [null, checkpoint(entries.slice(0, 2)), checkpoint(entries.slice(0, 1))];
  for (const [known, fine] of [[none, true], [later, true], [earlier, false]] as const) assert.equal(hasSeals(shown, seals, known), fine);
  assert.ok(!hasSeals(shown, [seal(4, ELSEWHERE)], none), "another seal of the turn is logged");
  assert.ok(!hasSeals(answer(entries.slice(0, -1), 3, 0), seals, none), "a later turn");
  assert.ok(!hasSeals({ ...shown, first_lot: { ...shown.first_lot!, entry: lot(9) } }, seals, none), "not in the tree");
  assert.ok(hasSeals(answer([entry(4)], 3, 0), [seal(3), seal(4)], none), "no lot yet");
});

test("a phone remembers the log across matches, and keeps both checkpoints of two histories", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const asked: string[] = [];
  let served: LoggedSeals | null = null;
  globalThis.fetch = ((address: string) => {
    asked.push(address);
    return Promise.resolve(served ? Response.json(served) : new Response("", { status: 404 }));
  }) as typeof fetch;
  const check = (match: number, seals: readonly ReceivedSeal[], again = false) => checkLog("HALL", match, seals, again);
  const other = [...ENTRIES.slice(0, 2), entry(3, ELSEWHERE), ...ENTRIES.slice(3, 9)];

  assert.equal(await check(1, [seal(1)]), null);
  served = answer(ENTRIES.slice(0, 4), 1, 0);
  assert.equal(await check(1, [seal(1), seal(4)]), "logged");
  served = answer(ENTRIES.slice(0, 7), 5, 4);
  assert.equal(await check(2, [seal(5)]), "logged");
  served = answer(other, 8, 7);
  for (const again of [false, true]) {
    write("crowdgame:log:evidence", "");
    assert.equal(await check(3, [seal(8)], again), "differs");
    assert.equal(readEvidence(), `${note(ENTRIES.slice(0, 7))}\n${note(other)}\n${JSON.stringify([seal(8)])}\n`);
  }
  served = answer(ENTRIES.slice(0, 9), 8, 7);
  assert.equal(await check(3, [seal(8)]), "logged", "the honest checkpoint was kept");
  assert.deepEqual(asked.map((address) => address.split("/").slice(3).join("/")), ["1/log/0.json", "1/log/0.json", "2/log/4.json", "3/log/7.json", "3/log/7.json", "3/log/7.json"]);

  const [backup, from] = [ENTRIES.slice(0, 3), note(ENTRIES.slice(0, 9))];
  const [forged, unsaid, foreign] = [[...other.slice(0, 9), restore("log")], backup, [...backup, restore("another")]];
  for (const entries of [forged, unsaid, foreign])
    for (const [seals, again, found, kept] of [[[seal(8, ELSEWHERE)], false, "differs", "log"], [[seal(8, ELSEWHERE)], true, "differs", "new"], [[], false, "replaced", "new"]] as const) {
      write("crowdgame:log", from);
      served = answer(entries, 1, 9, "new");
      assert.equal(await check(4, seals, again), found);
      assert.equal(readEvidence(), `${from}\n${note(entries, "new")}\n${JSON.stringify(seals)}\n`);
      assert.equal(read("crowdgame:log")!.split("\n")[0], kept);
      if (kept === "new") assert.equal(await check(4, []), "logged", "said once");
    }
  write("crowdgame:log", from);
  for (const entries of [[...backup, restore("another"), restore("log"), entry(9)], [...ENTRIES, restore("log")]]) {
    served = answer(entries, 1, 9, "new");
    served = { ...served, restores: served.restores.map((one) => ({ ...one, path: one.path.slice(1) })) };
    assert.equal(await check(5, []), "replaced", "not in the tree");
    write("crowdgame:log", from);
    served = answer(entries, 1, 9, "new");
    assert.equal(await check(5, [seal(8, ELSEWHERE)]), "differs", "a seal is missing");
    assert.equal(await check(5, [seal(1)]), "restored");
    assert.equal(await check(5, [seal(1)]), "logged", "said once");
    write("crowdgame:log", from);
  }
  mock.timers.reset();
});
