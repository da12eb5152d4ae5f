import assert from "node:assert/strict";
import test from "node:test";
import { niceCeiling, maxSample, stepPath } from "./chartPaths";

const SAMPLES = [{ at: 1000, teams: [0, 10] as const }, { at: 2000, teams: [5, 10] as const }, { at: 3000, teams: [10, 0] as const }];

test("a line keeps its level until the next sample", () => {
  assert.equal(stepPath(SAMPLES, 0, 1000, 3000, 10), "M0 100H150V50H300V0");
  assert.equal(stepPath(SAMPLES, 1, 1000, 3000, 10), "M0 0H150V0H300V100");
  assert.equal(stepPath([], 0, 1000, 3000, 10), "");
});

test("samples outside the time range are clamped to its edges", () => {
  assert.equal(stepPath(SAMPLES, 0, 2000, 2500, 10), "M0 100H0V50H300V0");
  assert.equal(stepPath(SAMPLES.slice(0, 1), 0, 1000, 1000, 0), "M0 100");
});

test("the top of the chart is a round number above all samples", () => {
  assert.deepEqual([0, 1, 3, 10, 11, 480, 2001].map(niceCeiling), [1, 1, 5, 10, 20, 500, 5000]);
  assert.deepEqual([maxSample([]), maxSample(SAMPLES)], [1, 10]);
});
