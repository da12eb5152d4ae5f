import assert from "node:assert/strict";
import test from "node:test";
import type { Board, Match, Part } from "../../protocol";
import { threatLabel, threatText } from "./commentary";
import { fillTeamNames, type Sentence } from "./sentence";
import { makeEvent, makeMatch, makeResolution, makeReveal, makeTurn, NOW, stacked, makeTally } from "../fixtures";
import type { TimelineStep } from "../scene/timeline";
import { decisionText, revealSentence, sealed } from "./captions";
import { openingSentence } from "./openingSentence";

function sentenceText(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === "string" ? part : part.name)).join("");
}

function threatSentence(board: Board): string {
  const context = { state: makeEvent(), match: makeMatch({ board }) };
  return sentenceText(fillTeamNames(context, threatText(context)));
}

test("the commentary names the columns that each side needs", () => {
  assert.equal(threatSentence(stacked(["R", "Y", "", "", "", "", ""])), "");
  assert.equal(threatSentence(stacked(["R", "R", "R", "", "", "", ""])), "North needs column 4");
  assert.equal(threatSentence(stacked(["", "R", "R", "R", "", "", ""])), "North threatens 1 and 5");
  assert.equal(threatSentence(stacked(["RRR", "YYY", "", "", "", "", ""])), "North needs 1, South needs 2");
  assert.equal(threatSentence(stacked(["RYYY", "R", "R", "", "Y", "Y", "Y"])), "North needs 4, South needs 1 or 4");
  assert.equal(threatSentence(stacked(["R", "R", "R", "", "Y", "Y", "Y"])), "Both need column 4");
});

test("each half of the screen names its own side's threats", () => {
  const context = { state: makeEvent(), match: makeMatch({ board: stacked(["", "R", "R", "R", "", "", ""]) }) };
  assert.equal(threatLabel(context, "red"), "needs 1 or 5");
  assert.equal(threatLabel(context, "yellow"), "");
});

test("other games get no threat commentary", () => {
  const match = makeMatch({ board: stacked(["R", "R", "R", "", "", "", ""]), game: "other" });
  assert.equal(threatText({ state: makeEvent(), match }), "");
});

function story(step: TimelineStep, board: Board, part: Parameters<typeof makeResolution>[0], hidden: readonly Part[] = []): string {
  const reveal = makeReveal({ resolution: makeResolution(part) });
  const match = makeMatch({ board, reveal });
  return sentenceText(revealSentence(step, { state: makeEvent({ match, hidden }), match, reveal }, null));
}

test("hidden hints leave out every comment on a winning column", () => {
  const board = stacked(["R", "R", "R", "RY", "", "", "Y"]);
  const context = { state: makeEvent({ hidden: ["hints"] }), match: makeMatch({ board: stacked(["R", "R", "R", "", "", "", ""]) }) };
  const drops = [{ side: "red", column: 4, row: 1 }, { side: "yellow", column: 4, row: 2 }] as const;
  assert.equal(threatText(context), "");
  assert.equal(threatLabel(context, "red"), "");
  assert.equal(story("picks", board, { drops, conflict: 4 }, ["hints"]), "Both chose column 4: the token decides");
  assert.equal(story("lines", board, { drops, block: drops[1] }, ["hints"]), "");
});

test("a vote that a late result has shortened says so as it opens", () => {
  const hint = (windowMs: number, lateMs: number) => {
    const turn = makeTurn({ opens_at: NOW, closes_at: NOW + windowMs });
    const match = makeMatch({ turn, reveal: makeReveal({ sealed_at: NOW - lateMs }) });
    return sentenceText(openingSentence({ state: makeEvent({ match }), match }, false, NOW));
  };
  assert.deepEqual([hint(19_000, 3000), hint(20_000, 3000), hint(19_000, 2999)], ["The result was late: this vote is shorter", "", ""]);
});

test("a draw offer stands as long as the vote, also in a short window", () => {
  const match = makeMatch({ window_s: 3, turn: makeTurn({ draw_offered_by: "red" }) });
  assert.match(sentenceText(openingSentence({ state: makeEvent({ match }), match }, false, NOW + 15_000)), / offers a draw$/);
});

test("votes are sealed until the result is late; if they wait for the organizer, they are in", () => {
  assert.deepEqual([2999, 3000].map((ms) => sealed(makeMatch(), ms)), ["Votes sealed", "The result is delayed"]);
  assert.equal(sealed(makeMatch({ host_wait_s: 60 }), 3000), "Votes are in");
});

test("a conflict over a winning column says that both saw it", () => {
  const drops = [{ side: "red", column: 4, row: 1 }, { side: "yellow", column: 4, row: 2 }] as const;
  const winning = stacked(["R", "R", "R", "RY", "", "", ""]);
  assert.equal(story("picks", winning, { drops, conflict: 4 }), "Both saw the winning column: 4");
  assert.equal(story("picks", stacked(["R", "R", "", "RY", "", "", ""]), { drops, conflict: 4 }), "Both chose column 4: the token decides");
});

test("a ball without room is announced as it falls, and who gets the token as it passes", () => {
  const drops = [{ side: "red", column: 6, row: 6 }, { side: "yellow", column: 6, row: null }] as const;
  const full = (step: TimelineStep) => story(step, stacked(["", "", "", "", "", "RYRYRR", ""]), { drops, conflict: 6, token_after: "yellow" });
  assert.deepEqual([full("second"), full("token"), full("over")], ["Column 6 is full: South loses the drop", "South gets the token", "South gets the token"]);
});

test("the opening of the first vote says what the token is for", () => {
  const hint = (number: number, home: boolean) => {
    const match = makeMatch({ turn: makeTurn({ number }) });
    return sentenceText(openingSentence({ state: makeEvent({ match }), match }, home, NOW));
  };
  assert.deepEqual([hint(1, false), hint(1, true), hint(2, false), hint(2, true)], ["Same column: the token's holder drops first", "Same column: the token's holder drops first", "", "You hold the token this turn"]);
});

test("a block is announced once its ball has landed", () => {
  const drops = [{ side: "red", column: 7, row: 1 }, { side: "yellow", column: 4, row: 1 }] as const;
  assert.equal(story("lines", stacked(["R", "R", "R", "Y", "", "", "R"]), { drops, block: drops[1] }), "South stops North in 4");
});

test("lines of both sides are announced before the verdict, which says why", () => {
  const drops = [{ side: "red", column: 4, row: 1 }, { side: "yellow", column: 1, row: 4 }] as const;
  const lines = [[[1, 1], [2, 1], [3, 1], [4, 1]]] as const;
  const board = stacked(["R", "R", "R", "R", "YYYY", "", ""]);
  assert.equal(story("lines", board, { drops, lines, result: "red", double_win: true }), "Four in a row for both");
  assert.equal(story("verdict", board, { drops, lines, result: "red", double_win: true }), "Four in a row for both: North held the token and wins");
  const lost = { drops, lines, result: "red", double_win: true, token_before: "yellow" } as const;
  assert.equal(story("verdict", board, lost), "Four in a row for both: South held the token and loses");
});

test("the caption under a pick says how the voting method decided", () => {
  const caption = (tally_method: Match["tally_method"], counts: readonly number[], part: Parameters<typeof makeTally>[2]) =>
    decisionText(makeMatch({ tally_method }), makeTally(counts, 1, part), true);
  assert.equal(caption("plurality", [3, 1], {}), "");
  assert.equal(caption("lottery", [3, 1], { decided_by: "lottery" }), "Drawn from 4 votes");
  assert.equal(caption("approval", [3, 1], { decided_by: "approval", ballots: 3 }), "of 3 voters approved");
  assert.equal(caption("instant_runoff", [3, 1], { decided_by: "runoff", rounds: [[3, 1]] }), "Majority in round 1");
  assert.equal(caption("instant_runoff", [2, 1, 1], { decided_by: "runoff", rounds: [[2, 1, 1], [3, 1, 0]] }), "50% ranked it first; wins in round 2");
});
