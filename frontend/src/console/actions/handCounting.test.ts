import assert from "node:assert/strict";
import test from "node:test";
import type { AuditEntry, Pressed, Team, Turn } from "../../protocol";
import { withCount, handsOffer, handsStatus, totalHands } from "./handCounting";

const TEAM: Team = { number: 2, name: "South", source: "hands", is_public: false, captain: "", solo: false, color: "" };
const TURN = { id: 7, number: 3 } as Turn;
const PRESSED = { action: "hands.count", turn: 7, team: 2 } as Pressed;
const COUNTED_ENTRY: AuditEntry = { id: 1, by: "olga", action: "hands.count", what: "olga counted the hands of South in turn 3: 12", at: 0, pressed: PRESSED, undo: null, undone: false };

test("a count is a whole number between zero and the maximum", () => {
  assert.deepEqual(withCount([0, 0, 0], 2, 4.7), [0, 4, 0]);
  assert.deepEqual([withCount([1], 1, NaN), withCount([1], 1, -3), withCount([1], 1, 9e9)], [[0], [0], [5000]]);
});

test("a show-of-hands count names its turn and team, and needs an open window", () => {
  const offer = handsOffer(TEAM, TURN, [1, 2], "voting");
  assert.deepEqual([offer.action, offer.turn, offer.team, offer.hands, offer.enabled], ["hands.count", 7, 2, [1, 2], true]);
  assert.deepEqual([handsOffer(TEAM, TURN, [1], "paused").enabled, handsOffer(TEAM, TURN, [5000, 1], "voting").enabled], [false, false]);
  assert.equal(totalHands([1, 2, 30]), 33);
});

test("the status says whether the displayed count has been submitted", () => {
  const state = (hands: number[], sent: number[] | null, audit: AuditEntry[] = []) => handsStatus(hands, sent, audit, TURN, TEAM, "voting");
  assert.match(state([1, 2], [1, 2]), /^Counts sent/);
  assert.match(state([1, 3], [1, 2]), /not sent yet/);
  assert.equal(state([0, 0], null, [COUNTED_ENTRY]), COUNTED_ENTRY.what);
  assert.equal(state([0, 0], null, [{ ...COUNTED_ENTRY, pressed: { ...PRESSED, turn: 8 } }, { ...COUNTED_ENTRY, pressed: { ...PRESSED, team: 1 } }]), "No counts sent yet.");
});
