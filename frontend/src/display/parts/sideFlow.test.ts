import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SidesSummary, SidesTurn } from "../../protocol";
import { sideFlow, loyalty } from "./sideFlow";

const step = fc.record({ to_red: fc.nat(50), to_yellow: fc.nat(50) });

/** A summary in which at most as many voters leave a side as are on it. */
function sidesAfter(red: number, yellow: number, timelineSteps: readonly { to_red: number; to_yellow: number }[]): SidesSummary {
  const turns: SidesTurn[] = [{ red, yellow, to_red: 0, to_yellow: 0 }];
  for (const { to_red, to_yellow } of timelineSteps) {
    const last = turns[turns.length - 1]!;
    const [come, gone] = [Math.min(to_red, last.yellow), Math.min(to_yellow, last.red)];
    turns.push({ red: last.red + come - gone, yellow: last.yellow - come + gone, to_red: come, to_yellow: gone });
  }
  return { turns, loyal: [red, 0], in_time: 0, too_soon: 0 };
}

test("both bands fill the chart in every turn, and every side change is drawn", () => {
  fc.assert(fc.property(fc.nat(500), fc.nat(500), fc.array(step, { maxLength: 20 }), (red, yellow, timelineSteps) => {
    const sides = sidesAfter(red, yellow, timelineSteps);
    const flow = sideFlow(sides, 900, 300);
    assert.equal(flow.shores.length, sides.turns.length);
    for (const [index, { y }] of flow.shores.entries()) {
      const { red: there, yellow: other } = sides.turns[index]!;
      assert.ok(y >= 0 && y <= 300);
      if (there + other) assert.ok(Math.abs(y - (300 * there) / (there + other)) < 1e-9);
    }
    const moved = sides.turns.reduce((sum, { to_red, to_yellow }) => sum + to_red + to_yellow, 0);
    assert.equal(flow.sideChanges.reduce((sum, { count }) => sum + count, 0), moved);
    for (const path of [flow.red, flow.yellow, ...flow.sideChanges.map(({ path }) => path)]) assert.doesNotMatch(path, /NaN|Infinity/);
  }));
});

test("loyalty is the share of voters who never changed sides", () => {
  assert.equal(loyalty({ turns: [{ red: 3, yellow: 1, to_red: 0, to_yellow: 0 }], loyal: [2, 1], in_time: 0, too_soon: 0 }), 75);
  assert.equal(loyalty({ turns: [], loyal: [0, 0], in_time: 0, too_soon: 0 }), 0);
});
