import assert from "node:assert/strict";
import test from "node:test";
import type { AuditEntry, EventState, TurnoutCounted } from "../../protocol";
import { closingPrompt } from "./closing";

const TEAMS = [{ number: 1, source: "phones" }, { number: 2, source: "phones" }];

function event(source: string, to_move = ["red", "yellow"]): EventState {
  return { teams: [TEAMS[0], { number: 2, source }], match: { red: 1, yellow: 2, turn: { id: 9, to_move } } } as unknown as EventState;
}

function turnout(voted: readonly [number, number], turn = 9): TurnoutCounted {
  return { turn, connected: [5, 3], voted } as unknown as TurnoutCounted;
}

test("the prompt counts the phones of the voting teams that have not voted", () => {
  assert.match(closingPrompt(event("phones"), turnout([4, 1]), []), /^3 phones haven't/);
  assert.match(closingPrompt(event("phones", ["red"]), turnout([4, 1]), []), /^1 phone hasn't/);
  assert.match(closingPrompt(event("phones"), turnout([5, 3], 8), []), /^8 phones haven't/);
  assert.equal(closingPrompt(event("phones"), turnout([6, 3]), []), "");
});

test("the prompt asks for hands until a console has sent their counts", () => {
  const counted = [{ pressed: { action: "hands.count", turn: 9, team: 2 } }] as unknown as AuditEntry[];
  assert.match(closingPrompt(event("hands"), turnout([5, 0]), []), /^Hands not counted/);
  assert.equal(closingPrompt(event("hands"), turnout([5, 0]), counted), "");
});
