import assert from "node:assert/strict";
import test from "node:test";
import { NOW, STEPS, makeEvent, makeMatch, makeReveal } from "../../display/fixtures";
import { clockEnd } from "./clockEnd";

test("after the last turn the clock shows the end of the reveal, then the next match", () => {
  const event = makeEvent({ match: makeMatch({ state: "ended", turn: null, reveal: makeReveal() }), next_match_at: NOW + 66_000 });
  assert.equal(clockEnd(event, "reveal"), NOW + STEPS.over);
  assert.equal(clockEnd(event, "ended"), NOW + 66_000);
});
