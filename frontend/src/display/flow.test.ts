import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SidesTold, SidesTurn } from "../protocol";
import { flowOf, loyalty } from "./flow";

const step = fc.record({ to_red: fc.nat(50), to_yellow: fc.nat(50) });

/** Nobody leaves a side on which nobody is. */
function toldOf(red: number, yellow: number, steps: readonly { to_red: number; to_yellow: number }[]): SidesTold {
  const turns: SidesTurn[] = [{ red, yellow, to_red: 0, to_yellow: 0 }];
  for (const { to_red, to_yellow } of steps) {
    const last = turns[turns.length - 1]!;
    const [come, gone] = [Math.min(to_red, last.yellow), Math.min(to_yellow, last.red)];
    turns.push({ red: last.red + come - gone, yellow: last.yellow - come + gone, to_red: come, to_yellow: gone });
  }
  return { turns, loyal: [red, 0], in_time: 0, too_soon: 0 };
}

test("both bands fill the river in every turn, and every stream is drawn", () => {
  fc.assert(fc.property(fc.nat(500), fc.nat(500), fc.array(step, { maxLength: 20 }), (red, yellow, steps) => {
    const told = toldOf(red, yellow, steps);
    const flow = flowOf(told, 900, 300);
    assert.equal(flow.shores.length, told.turns.length);
    for (const [index, { y }] of flow.shores.entries()) {
      const { red: there, yellow: other } = told.turns[index]!;
      assert.ok(y >= 0 && y <= 300);
      if (there + other) assert.ok(Math.abs(y - (300 * there) / (there + other)) < 1e-9);
    }
    const moved = told.turns.reduce((sum, { to_red, to_yellow }) => sum + to_red + to_yellow, 0);
    assert.equal(flow.crossings.reduce((sum, { count }) => sum + count, 0), moved);
    for (const path of [flow.red, flow.yellow, ...flow.crossings.map(({ path }) => path)]) assert.doesNotMatch(path, /NaN|Infinity/);
  }));
});

test("loyal is who never changed, of everybody", () => {
  assert.equal(loyalty({ turns: [{ red: 3, yellow: 1, to_red: 0, to_yellow: 0 }], loyal: [2, 1], in_time: 0, too_soon: 0 }), 75);
  assert.equal(loyalty({ turns: [], loyal: [0, 0], in_time: 0, too_soon: 0 }), 0);
});
