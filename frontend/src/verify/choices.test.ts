import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { decodeBallot } from "./choices";
import { findMethod, TALLY_METHODS } from "./methods";

const decode = (number: number, method: string, mayResign = false, mayDraw = false) => decodeBallot(number, { resign: mayResign ? "half" : null, draw_offers: mayDraw }, findMethod(method).decode);
const points = (number: number, method: string) => {
  const vote = decode(number, method);
  return vote && [...vote.points];
};

test("the examples of the protocol are decoded", () => {
  assert.deepEqual(points(536870930, "approval"), [[2, 1], [5, 1]]);
  assert.deepEqual(points(517, "instant_runoff"), [[5, 1], [2, 1]]);
  assert.deepEqual(points(536871096, "score"), [[1, 4], [3, 5]]);
});

test("a single choice is its own number", () => {
  for (const method of TALLY_METHODS) assert.deepEqual(points(7, method), [[7, 1]]);
});

test("other encodings of a vote are refused", () => {
  const one = 2 ** 29;
  assert.equal(points(one + 2, "approval"), null); // a set of one
  assert.equal(points(one + 1, "score"), null); // one point for one choice
  assert.equal(points(one, "score"), null);
  assert.deepEqual(points(one + 2, "score"), [[1, 2]]);
  assert.equal(points(5 + 256 * 5, "instant_runoff"), null); // twice the same
  assert.equal(points(256, "instant_runoff"), null); // no first choice
  assert.equal(points(1 + 256 * 2 + 65536 * 3 + 2 ** 24 * 4, "instant_runoff"), null); // four
  assert.equal(points(one + 6, "plurality"), null);
  for (const number of [0, -1, 2 ** 31, 2 ** 31 + 1]) assert.equal(points(number, "plurality"), null);
});

test("only terms with resignation allow a ballot to resign", () => {
  const number = 2 ** 30 + 4;
  assert.equal(decode(number, "plurality"), null);
  assert.deepEqual(decode(number, "plurality", true), { points: new Map([[4, 1]]), resigns: true });
  for (const method of TALLY_METHODS) assert.equal(decode(2 ** 30, method, true), null);
});

test("only terms with draw offers allow a ballot to ask for a draw, and none also resigns", () => {
  const number = 2 ** 31 + 4;
  assert.equal(decode(number, "plurality", true), null);
  assert.deepEqual(decode(number, "plurality", false, true), { points: new Map([[4, 1]]), resigns: false });
  assert.equal(decode(number + 2 ** 30, "plurality", true, true), null);
});

test("every number has at most one meaning", () => {
  const methods = ["approval", "instant_runoff", "score"] as const;
  fc.assert(fc.property(fc.constantFrom(...methods), fc.integer({ min: 1, max: 2 ** 30 - 1 }), (method, number) => {
    const vote = decode(number, method);
    if (vote) assert.equal(encode([...vote.points], method), number);
  }));
});

function encode(votes: readonly (readonly [number, number])[], method: "approval" | "instant_runoff" | "score"): number {
  const [choice, value] = votes[0]!;
  if (votes.length === 1 && value === 1) return choice;
  if (method === "approval") return votes.reduce((sum, [each]) => sum + 2 ** (each - 1), 2 ** 29);
  if (method === "score") return votes.reduce((sum, [each, given]) => sum + given * 6 ** (each - 1), 2 ** 29);
  return votes.reduce((sum, [each], place) => sum + each * 256 ** place, 0);
}
