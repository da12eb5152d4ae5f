import assert from "node:assert/strict";
import test from "node:test";
import type { Board } from "../protocol";
import { ahead, need } from "./announcer";
import { closeCallOf } from "./closecall";
import type { Sentence } from "./sentence";
import { eventOf, matchOf, resolutionOf, revealOf, stacked, tallyOf } from "./staging";
import type { Step } from "./timeline";
import { sentenceOf } from "./words";

function said(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === "string" ? part : part.name)).join("");
}

function near(board: Board): string {
  return said(ahead({ state: eventOf(), match: matchOf({ board }) }));
}

test("the announcer names what each side needs", () => {
  assert.equal(near(stacked(["R", "Y", "", "", "", "", ""])), "");
  assert.equal(near(stacked(["R", "R", "R", "", "", "", ""])), "North needs column 4");
  assert.equal(near(stacked(["", "R", "R", "R", "", "", ""])), "North threatens 1 and 5");
  assert.equal(near(stacked(["RRR", "YYY", "", "", "", "", ""])), "North needs 1, South needs 2");
  assert.equal(near(stacked(["RYYY", "R", "R", "", "Y", "Y", "Y"])), "North needs 4, South needs 1 or 4");
  assert.equal(near(stacked(["R", "R", "R", "", "Y", "Y", "Y"])), "Both need column 4");
});

test("a half of the screen says what its own side needs", () => {
  const told = { state: eventOf(), match: matchOf({ board: stacked(["", "R", "R", "R", "", "", ""]) }) };
  assert.equal(need(told, "red"), "needs 1 or 5");
  assert.equal(need(told, "yellow"), "");
});

test("games with other lines are left alone", () => {
  const match = matchOf({ board: stacked(["R", "R", "R", "", "", "", ""]), game: "other" });
  assert.deepEqual(ahead({ state: eventOf(), match }), []);
});

function story(step: Step, board: Board, part: Parameters<typeof resolutionOf>[0]): string {
  const reveal = revealOf({ resolution: resolutionOf(part) });
  const match = matchOf({ board, reveal });
  return said(sentenceOf(step, { state: eventOf({ match }), match, reveal }, null));
}

test("a conflict over the winning column was seen by both", () => {
  const drops = [{ side: "red", column: 4, row: 1 }, { side: "yellow", column: 4, row: 2 }] as const;
  const winning = stacked(["R", "R", "R", "RY", "", "", ""]);
  assert.equal(story("picks", winning, { drops, conflict: 4 }), "Both saw it: column 4");
  assert.equal(story("picks", stacked(["R", "R", "", "RY", "", "", ""]), { drops, conflict: 4 }), "Both chose column 4");
});

test("a block is told before what is next", () => {
  const drops = [{ side: "red", column: 7, row: 1 }, { side: "yellow", column: 4, row: 1 }] as const;
  assert.equal(story("lines", stacked(["R", "R", "R", "Y", "", "", "R"]), { drops }), "South stops North in 4");
});

test("two lines in the same turn are told as such", () => {
  const drops = [{ side: "red", column: 4, row: 1 }, { side: "yellow", column: 1, row: 4 }] as const;
  const lines = [[[1, 1], [2, 1], [3, 1], [4, 1]]] as const;
  const board = stacked(["R", "R", "R", "R", "YYYY", "", ""]);
  assert.equal(story("lines", board, { drops, lines, result: "red" }), "Four in a row for both: North wins");
});

const SIX_S = { reveal_s: 6 };

test("a close call is a tie, a margin of a few votes, or a conflict that decided the match", () => {
  const of = (part: Parameters<typeof revealOf>[0]) => closeCallOf(matchOf(SIX_S), revealOf(part), true);
  assert.equal(of({ red: tallyOf([60, 40], 1), yellow: tallyOf([40, 60], 2) }), null);
  assert.deepEqual(of({ red: tallyOf([51, 49], 1) }), { kind: "count", side: "red", first: 1, second: 2, margin: 2 });
  const tie = tallyOf([50, 50], 2, { decided_by: "first" });
  assert.deepEqual(of({ red: tallyOf([51, 49], 1), yellow: tie }), { kind: "count", side: "yellow", first: 2, second: 1, margin: 0 });
  assert.equal(of({ red: tallyOf([3, 2], 1), yellow: tallyOf([0, 3], 2) }), null);
  assert.equal(of({ red: tallyOf([50, 50], 2, { decided_by: "lottery" }), yellow: null }), null);
  const drops = [{ side: "red", column: 4, row: 1 }, { side: "yellow", column: 4, row: 2 }] as const;
  const won = { drops, conflict: 4, result: "red", lines: [[[1, 1], [2, 1], [3, 1], [4, 1]]] } as const;
  assert.deepEqual(of({ resolution: resolutionOf(won) }), { kind: "conflict", side: "red" });
  assert.equal(of({ resolution: resolutionOf({ ...won, lines: [[[1, 1]]] }) }), null);
});

test("a hidden tally has no close call, and a short reveal no time for one", () => {
  const reveal = revealOf({ red: tallyOf([51, 49], 1) });
  assert.equal(closeCallOf(matchOf(SIX_S), reveal, false), null);
  assert.equal(closeCallOf(matchOf({ reveal_s: 4 }), reveal, true), null);
});
