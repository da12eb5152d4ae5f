import assert from "node:assert/strict";
import test from "node:test";
import type { CastChoice, Receipt } from "../../phone/receipts/receipt";
import type { MatchRecord } from "../record";
import { findOwnVotes } from "./ownVotes";

const [FIRST, SECOND, OTHER] = ["1", "2", "3"].map((digit) => digit.repeat(32)) as [string, string, string];

function receipt(turn: number, choices: readonly CastChoice[], kept: Partial<Receipt> = {}): Receipt {
  return { turn, number: turn, epoch: 1, side: "red", choices, acknowledged: 1, watched: true, found: null, late: false, root: "", ...kept };
}

function record(tally_method: string, ...counts: readonly { turn: number; red?: readonly [number, string][]; yellow?: readonly [number, string][] }[]): MatchRecord {
  const side = (ballots?: readonly [number, string][]) => (ballots ? { ballots } : null);
  return { terms: { tally_method }, counts: counts.map(({ turn, red, yellow }) => ({ turn, red: side(red), yellow: side(yellow) })) } as unknown as MatchRecord;
}

test("only a ballot with the choice and the code of this browser is its vote", () => {
  const own = [receipt(7, [[1, 4, FIRST], [2, 5, SECOND]])];
  const find = (...ballots: [number, string][]) => findOwnVotes(record("plurality", { turn: 7, red: ballots }), own);
  assert.deepEqual(find([3, OTHER], [5, SECOND]), [{ number: 1, columns: [5], code: SECOND, found: "counted" }]);
  assert.deepEqual(find([4, FIRST]), [{ number: 1, columns: [4], code: FIRST, found: "counted" }]);
  for (const [choice, code] of [[4, SECOND], [5, OTHER]] as const) assert.deepEqual(find([choice, code]), [{ number: 1, columns: [5], code: SECOND, found: "missing" }]);
});

test("votes are those of the record's turns, on either side, under their number in the match", () => {
  const own = [receipt(8, [[1, 2, FIRST]]), receipt(9, [[1, 3, SECOND]]), receipt(10, [[1, 1, OTHER]]), receipt(11, [])];
  const found = findOwnVotes(record("plurality", { turn: 8, red: [[2, FIRST]] }, { turn: 10, yellow: [[1, OTHER]] }, { turn: 11, red: [] }, { turn: 12, red: [] }), own);
  assert.deepEqual(found.map(({ number, columns, found }) => [number, columns, found]), [[1, [2], "counted"], [2, [1], "counted"]]);
});

test("a vote that isn't in the record is missing unless it came late or another device voted later", () => {
  const why = (kept: Partial<Receipt>) => findOwnVotes(record("plurality", { turn: 1, red: [] }), [receipt(1, [[1, 2, FIRST]], kept)])[0]!.found;
  assert.deepEqual([{}, { found: "checked" }, { found: "missing", acknowledged: 0 }].map((kept) => why(kept as Partial<Receipt>)), ["missing", "missing", "missing"]);
  assert.deepEqual([{ found: "unsure" }, {}, { found: "checked" }].map((kept) => why({ watched: false, ...kept } as Partial<Receipt>)), ["unsure", "unsure", "missing"]);
  assert.equal(why({ acknowledged: 0 }), "late");
  assert.equal(why({ found: "elsewhere" }), "elsewhere");
});

test("ballots of several columns are decoded by the record's method", () => {
  const columns = (method: string, choice: number) => findOwnVotes(record(method, { turn: 1, red: [[choice, FIRST]] }), [receipt(1, [[1, choice, FIRST]])])[0]!.columns;
  assert.deepEqual(columns("approval", 2 ** 29 + 0b101), [1, 3]);
  assert.deepEqual(columns("score", 2 ** 29 + 2 + 6 ** 2), [1, 3]);
  assert.deepEqual(columns("instant_runoff", 5 + 2 * 256), [5, 2]);
});
