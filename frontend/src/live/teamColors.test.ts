import assert from "node:assert/strict";
import test from "node:test";
import { makeEvent, makeMatch } from "../display/fixtures";
import { colorShades, ownColors } from "./teamColors";

const [NORTH, SOUTH] = makeEvent().teams;

test("a color belongs to the side that its team plays, and the other side keeps its own", () => {
  const teams = [NORTH, { ...SOUTH, color: "#2f6fd0" }] as const;
  assert.deepEqual(ownColors(makeEvent({ teams, match: null })), [["yellow", "#2f6fd0"]]);
  assert.deepEqual(ownColors(makeEvent({ teams, match: makeMatch({ red: 2, yellow: 1 }) })), [["red", "#2f6fd0"]]);
  assert.deepEqual(ownColors(makeEvent()), []);
});

test("text on a color is black or white, whichever has more contrast", () => {
  assert.equal(colorShades("#2f6fd0")["-ink"], "#fff");
  assert.equal(colorShades("#d06a00")["-ink"], "#000");
});

test("a ball is lit from a lighter to a darker shade of its color", () => {
  assert.deepEqual(colorShades("#646464"), { "": "#646464", "-lit": "rgb(154,154,154)", "-shade": "rgb(65,65,65)", "-ink": "#fff" });
});
