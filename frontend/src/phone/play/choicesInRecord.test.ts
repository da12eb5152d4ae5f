import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { verifyText } from "../../verify/recount";
import type { PhoneView } from "../seat/phoneView";
import { oneOfFew, streak } from "./choiceAnalysis";

interface Recorded {
  turns: readonly { red: number }[];
  counts: readonly { turn: number; resolved_at: number; red: { ballots: readonly (readonly [choice: number, blind: string])[]; counts: readonly number[]; pick: number } }[];
}

/** The exported record of a match of five turns. */
const TEXT = readFileSync("../tests/voting/records/played_match.json", "utf8").trim();
const RECORD = JSON.parse(TEXT) as Recorded;
/** The votes of one of red's ten voters. All columns count as the best ones. */
const CHOICES = [4, 4, 2, 4, 2];

/** The phone after a turn, with what the server reveals of it. */
function phoneAfter(index: number): PhoneView {
  const { turn, resolved_at, red } = RECORD.counts[index]!;
  const steps = { pour: 0, picks: 0, hold: null, drops: 0, second: null, lines: 0, verdict: null, token: null, replay: null, over: 5000 };
  const reveal = { turn, number: index + 1, resolved_at, steps, red: { counts: red.counts, ballots: red.ballots.length, pick: red.pick } };
  const analysis = { turn, red_classes: Array(7).fill("best"), red_mix: Array(7).fill(0) };
  const agreed = Object.fromEntries(RECORD.counts.slice(0, index + 1).map((count, before) => [before + 1, CHOICES[before] === count.red.pick]));
  const record = { match: 1, turn, choice: CHOICES[index], agreed };
  return { event: { hidden: [] }, match: { analysis, reveal, tally_method: "plurality" }, record, side: "red", now: resolved_at + 1000, phase: "reveal" } as unknown as PhoneView;
}

/** How many of the turns played last were those of the voter, by the record's list of turns. */
function recordedStreak(index: number): number {
  return index - RECORD.turns.slice(0, index + 1).map(({ red }, turn) => red === CHOICES[turn]).lastIndexOf(false);
}

test("what a phone says about a voter's choices agrees with the exported record", () => {
  assert.equal(verifyText(TEXT).verdict, "VALID");
  const phones = CHOICES.map((_, index) => phoneAfter(index));
  const figure = (text: string) => Number(/\d+/.exec(text)?.[0] ?? 0);
  const streaks = CHOICES.map((_, index) => recordedStreak(index));
  assert.deepEqual(streaks, [1, 2, 3, 4, 0]);
  assert.deepEqual(phones.map((phone) => figure(streak(phone))), streaks.map((turns) => (turns < 3 ? 0 : turns)));
  const seen = CHOICES.map((column, index) => RECORD.counts[index]!.red.ballots.filter(([choice]) => choice === column).length);
  assert.deepEqual(seen, [8, 9, 8, 10, 2]);
  assert.deepEqual(phones.map((phone) => figure(oneOfFew(phone))), seen.map((voters) => (voters > 2 ? 0 : voters)));
});
