import assert from "node:assert/strict";
import test from "node:test";
import { comparePicks } from "./bots/botTurns";
import { compareHashes, draw, leafHash, lotHash, textHash, toHex, TreeRoot, turnLotHash } from "./hashes";
import { parseJson } from "./json";
import { readRecord } from "./record";
import { finish, recount, verifyText } from "./recount";
import { runInSlices } from "./slices";

type Side = "red" | "yellow";
const SEED = "5".repeat(32);

function sideCount(turn: number, side: Side, choices: readonly number[]) {
  const ballots = choices.map((choice, index) => [choice, index.toString(16).padStart(32, "0")] as const);
  const leaf = ([choice, blind]: readonly [number, string]) => leafHash(`${turn}:${side}:${choice}:${blind}`);
  ballots.sort((one, other) => compareHashes(leaf(one), leaf(other)));
  const tree = new TreeRoot();
  for (const ballot of ballots) tree.add(leaf(ballot));
  const counts = Array.from({ length: 7 }, (_, index) => choices.filter((choice) => choice === index + 1).length);
  return { root: toHex(tree.root), ballots, legal: [1, 2, 3, 4, 5, 6, 7], counts, pick: choices[0]!, decided_by: "plurality" };
}

/** An unfinished match, in which each side votes as given. */
function record(turns: readonly (readonly [red: readonly number[], yellow: readonly number[]])[] = [[[4, 4, 2], [1]], [[3], [3, 3]]]) {
  return {
    ...{ format: "crowdgame match 3", name: "A", code: "BCDF", match: 1, teams: { red: "R", yellow: "Y" } },
    ...{ game: "simultaneous-captains-mistress", options: { columns: 7, rows: 6, token: "red", tie: "holder" } },
    draw: { lot: lotHash(SEED), seed: SEED, options: {} },
    terms: { tally_method: "plurality", tie_rule: "lot", no_ballot_rule: "random" },
    turns: turns.map(([red, yellow]) => ({ red: red[0]!, yellow: yellow[0]! })),
    counts: turns.map(([red, yellow], index) => ({ turn: index + 1, lot: lotHash(SEED), seed: SEED, sealed_at: 1, resolved_at: 2, red: sideCount(index + 1, "red", red), yellow: sideCount(index + 1, "yellow", yellow) })),
    ...{ result: "open", ended_by: null as string | null },
  };
}

type Sample = ReturnType<typeof record>;

function failures(change: (sample: Sample) => void): string[] {
  const changed = record();
  change(changed);
  const { verdict, findings } = verifyText(JSON.stringify(changed));
  const failed = findings.filter(({ outcome }) => outcome === "failed");
  assert.equal(verdict, failed.length ? "INVALID" : "VALID");
  return failed.map(({ turn, side, check, reason }) => [turn, side, check, reason].filter((part) => part !== null).join(" "));
}

test("an honest record is valid", () => {
  assert.deepEqual(failures(() => {}), []);
});

test("each altered value fails its check", () => {
  assert.deepEqual(failures((sample) => (sample.counts[1]!.seed = "6".repeat(32))), ["1 seed not-committed"]);
  assert.deepEqual(failures((sample) => sample.counts[0]!.red.ballots.reverse()), ["0 red root unsorted"]);
  assert.deepEqual(failures((sample) => (sample.counts[0]!.yellow.root = "0".repeat(64))), ["0 yellow root other-root"]);
  assert.deepEqual(failures((sample) => (sample.counts[0]!.red.counts[3] = 3)), ["0 red counts other-counts"]);
  assert.deepEqual(failures((sample) => sample.counts[0]!.red.legal.pop()), ["0 rules legal"]);
  assert.deepEqual(failures((sample) => (sample.turns[1]!.red = 5)), ["1 played not-played"]);
  assert.deepEqual(failures((sample) => (sample.result = "red")), ["result other-result"]);
  assert.deepEqual(failures((sample) => (sample.draw.seed = "6".repeat(32))), ["draw not-committed"]);
});

test("draws follow from the seed and both roots, or from the seed alone where the commitment says so", () => {
  const sample = record([[[4, 2], [1]]]);
  const count = sample.counts[0]!;
  const verdict = (mixed: string, lot: string) => {
    count.lot = lot;
    sample.turns[0]!.red = count.red.pick = [2, 4][draw(`${mixed}:red`, 2)]!;
    count.red.decided_by = "lot";
    const { findings } = verifyText(JSON.stringify(sample));
    return findings.filter(({ outcome, check }) => outcome !== "passed" && check === "pick").map(({ outcome, reason }) => `${outcome} ${reason}`);
  };
  const mixed = textHash(`${SEED}:${count.red.root}:${count.yellow.root}`);
  assert.notEqual(draw(`${mixed}:red`, 2), draw(`${SEED}:red`, 2));
  assert.deepEqual(verdict(mixed, turnLotHash(SEED)), []);
  assert.deepEqual(verdict(SEED, turnLotHash(SEED)), ["failed other-pick"]);
  assert.deepEqual(verdict(SEED, lotHash(SEED)), ["unchecked by-seed"]);
  assert.deepEqual(verdict(mixed, lotHash(SEED)), ["failed other-pick"]);
});

test("only known formats are records", () => {
  for (const format of ["crowdgame match 1", "toString"]) assert.deepEqual(failures((sample) => (sample.format = format)), ["form not-a-record"]);
});

test("in a record of version 2, the server chose the order of the ballots", () => {
  const sample = { ...record(), format: "crowdgame match 2" };
  sample.counts[0]!.red = sideCount(1, "red", [2, 4, 4]);
  sample.counts[0]!.red.pick = 4;
  const unchecked = (value: object) => verifyText(JSON.stringify(value)).findings.filter(({ outcome }) => outcome === "unchecked").map(({ reason }) => reason);
  assert.deepEqual(unchecked(sample), ["server-order", "seals-unlisted"]);
  assert.deepEqual(unchecked({ ...sample, turns: [], counts: [] }), []);
  assert.deepEqual(unchecked(record()), ["seals-unlisted"]);
});

test("the computer’s picks are compared, or the report says why not", () => {
  const compare = (bots: object, picks: readonly number[] | null, more: object = {}) => {
    const sample = { ...record([[[4], [1]], [[3], [3, 3]]]), bots, ...more };
    const recounted = finish(recount(readRecord(parseJson(JSON.stringify(sample)))));
    const { verdict, findings } = comparePicks(recounted, picks);
    const named = findings.filter(({ check }) => check === "computer").map(({ turn, side, outcome, reason }) => [turn, side, outcome, reason].filter((part) => part != null).join(" "));
    return [verdict, ...named];
  };
  const bots = { version: 2, red: 3 };
  assert.deepEqual(compare(bots, [4, 3]), ["VALID", "0 red passed", "1 red passed"]);
  assert.deepEqual(compare(bots, [4, 2]), ["INVALID", "0 red passed", "1 red failed other-pick"]);
  assert.deepEqual(compare({ version: 2, yellow: 3 }, [1, 3]), ["INVALID", "0 yellow passed", "1 yellow failed other-pick"]);
  assert.deepEqual(compare(bots, null), ["VALID", "unchecked no-solver"]);
  assert.deepEqual(compare({ ...bots, version: 1 }, []), ["VALID", "unchecked computer-version"]);
  assert.deepEqual(compare(bots, [], { game: "stone" }), ["PARTLY CHECKED", "0 red unchecked unknown-game", "1 red unchecked unknown-game"]);
  assert.deepEqual(compare(bots, [], { turns: [], counts: [] }), ["VALID"]);
  const absent = record([[[4], [1]]]);
  Object.assign(absent.counts[0]!.red, sideCount(1, "red", []), { pick: null, decided_by: "pass" });
  absent.turns[0]!.red = null as unknown as number;
  assert.deepEqual(compare(bots, [], { turns: absent.turns, counts: absent.counts, terms: { ...absent.terms, no_ballot_rule: "pass" } }), ["VALID", "0 red unchecked computer-absent"]);
  for (const red of [0, 6, "3"]) assert.equal(verifyText(JSON.stringify({ ...record(), bots: { version: 2, red } })).verdict, "INVALID");
});

test("the history of a match is checked", () => {
  const [seed, at] = ["6".repeat(32), 3];
  const voided = { turn: 1, number: 1, lot: lotHash(seed), seed, voided_at: at, reason: "taken_back", seals: [{ at, turn_commitment: "0".repeat(64) }] };
  const history = (more: object) => failures((sample) => {
    sample.counts.forEach((count, index) => Object.assign(count, { turn: index + 2, red: sideCount(index + 2, "red", [[4, 4, 2], [3]][index]!), yellow: sideCount(index + 2, "yellow", [[1], [3, 3]][index]!) }));
    Object.assign(sample, { voided: [voided], state: "aborted" }, more);
  });
  assert.deepEqual(history({}), []);
  assert.deepEqual(history({ state: "ended" }), ["state other-state"]);
  for (const [change, reason] of [[{ turn: 0 }, null], [{ turn: 2 }, "void-counts"], [{ turn: 4 }, "void-late"], [{ seed: SEED, lot: lotHash(SEED) }, "void-seed"], [{ lot: "0".repeat(64) }, "void-lot"], [{ reason: null }, "void-half"]] as const) {
    assert.deepEqual(history({ voided: [{ ...voided, ...change }] }), [reason ? `voided ${reason}` : "form field"]);
  }
  assert.deepEqual(history({ voided: [voided, voided] }), ["voided void-order"]);
});

test("lost ballot boxes and void seals are checked", () => {
  const turn = (more: object) => failures((sample) => Object.assign(sample.counts[1]!, more));
  assert.deepEqual(turn({ epoch: 2, restored: "phones", void_seals: [{ at: 0, red: "0".repeat(64) }] }), []);
  assert.deepEqual(turn({ epoch: 1001, restored: "backup" }), []);
  assert.deepEqual(turn({ epoch: 2 }), ["1 box restored"]);
  assert.deepEqual(turn({ epoch: 1001, restored: "phones" }), ["1 box restored"]);
  assert.deepEqual(turn({ restored: "database" }), ["1 box restored"]);
  assert.deepEqual(turn({ void_seals: [{ at: 1 }] }), ["1 seals seal-time"]);
});

test("from version 4 on, the seal published last counts, and each other one has a cause", () => {
  const late = { reason: "time_added", at: 0, epoch: 1 };
  const lost = { reason: "box_lost", at: 0, epoch: 2 };
  const listed = (seals: (last: object) => object[], more: object = {}) => failures((sample) => {
    sample.format = "crowdgame match 4";
    for (const count of sample.counts) Object.assign(count, { seals: [{ at: 1, red: count.red.root, yellow: count.yellow.root }] });
    const [first] = sample.counts as unknown as { seals: object[] }[];
    Object.assign(first!, more, { seals: seals({ ...first!.seals[0], ...more, restored: undefined }) });
  });
  const earlier = { at: 0, red: "0".repeat(64) };
  assert.deepEqual(listed((last) => [last]), []);
  assert.deepEqual(listed((last) => [{ ...earlier, void: late }, last]), []);
  assert.deepEqual(listed((last) => [{ ...earlier, void: lost }, last], { epoch: 2, restored: "phones" }), []);
  for (const none of [() => [], (last: object) => [last, earlier], (last: object) => [{ ...last, at: 2 }], (last: object) => [{ ...last, void: late }], (last: object) => [{ ...last, yellow: earlier.red }], (last: object) => [{ ...last, epoch: 2 }]]) {
    assert.deepEqual(listed(none), ["0 seals seal-not-counted"]);
  }
  for (const cause of [null, { ...late, epoch: 2 }, { ...lost, epoch: 1 }, lost]) {
    assert.deepEqual(listed((last) => [{ ...earlier, void: cause }, last]), ["0 seals seal-cause"]);
  }
  assert.deepEqual(listed((last) => [{ ...earlier, at: 1, void: late }, last]), ["0 seals seal-time"]);
  assert.deepEqual(listed((last) => [{ ...earlier, void: { ...late, reason: "boredom" } }, last]), ["form field"]);
});

test("additional fields are ignored", () => {
  assert.deepEqual(failures((sample) => Object.assign(sample.counts[0]!.red, { more: 1.5 })), []);
});

test("a missing field and a wrong type make a record invalid", () => {
  const damages: ((sample: Sample) => void)[] = [(sample) => delete (sample as Partial<Sample>).terms, (sample) => (sample.counts[0]!.red.pick = "4" as unknown as number)];
  for (const damage of damages) assert.match(failures(damage)[0]!, /^form field/);
});

test("a record of an unknown game is checked in part", () => {
  const other = JSON.stringify({ ...record(), game: "stone" });
  assert.equal(verifyText(other).verdict, "PARTLY CHECKED");
});

test("a file with values of any length is checked", () => {
  const escapes = `"${"\\u0041".repeat(3_000_000)}"`;
  assert.equal(verifyText(escapes).verdict, "INVALID");
  assert.equal(verifyText(`{"format": "crowdgame match 3", "code": ${escapes}}`).verdict, "INVALID");
  const long = record([[[4], [1]]]);
  const red = { ...long.counts[0]!.red, counts: Array.from({ length: 300_000 }, (_, index) => Number(index === 3)) };
  const unknown = { ...long, game: "unknown", counts: [{ ...long.counts[0], red }] };
  assert.equal(verifyText(JSON.stringify(unknown)).verdict, "PARTLY CHECKED");
});

test("a file that isn't a record is invalid", () => {
  for (const text of ["", "[]", "null", "{}", '{"format":"crowdgame match 6"}', "1"]) assert.equal(verifyText(text).verdict, "INVALID");
});

test("slices report the progress", async () => {
  const shown: number[] = [];
  const steps = (function* () {
    for (let step = 0; step < 4; step++) {
      const end = performance.now() + 15;
      while (performance.now() < end);
      yield 10;
    }
    return "done";
  })();
  assert.equal(await runInSlices(steps, (done) => shown.push(done)), "done");
  assert.deepEqual(shown, [10, 20, 30, 40]);
});

test("a report file is verified by the record in it", () => {
  const text = JSON.stringify(record());
  const report = (json: string) => verifyText(`<!doctype html>\n<script id="record" type="application/json">${json}</script></html>`);
  assert.deepEqual(report(text), verifyText(text));
  assert.equal(report("").verdict, "INVALID");
});
