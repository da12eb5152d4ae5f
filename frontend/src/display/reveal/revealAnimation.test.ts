import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { framesDuring } from "./revealAnimation";

const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Browsers refuse keyframes that go back, even by a rounding error. */
test("the frames of a movement stay in its span and never go back", () => {
  fc.assert(
    fc.property(share, share, fc.integer({ min: 1, max: 40 }), (one, other, steps) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const places = framesDuring([from, to], false, steps, () => ({ transform: "" })).map(({ at }) => at);
      assert.equal(places[0], from);
      assert.equal(places[steps], to);
      assert.deepEqual(places, [...places].sort((a, b) => a - b));
    }),
  );
});
