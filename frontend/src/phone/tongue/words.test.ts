import assert from "node:assert/strict";
import test from "node:test";
import { TONGUES, type Tongue } from "../tongues";
import * as de from "./de";
import * as en from "./en";
import * as es from "./es";
import * as fr from "./fr";
import * as zh from "./zh";

/** The compiler holds each language to the names and arguments of the English one. */
const SPOKEN: { [tongue in Tongue]: typeof en } = { de, en, es, fr, zh };

/** Two lines of a phone that is 320 pixels wide, and a team's name in them. */
const MOST_LETTERS = 84;
/** What stands under the clock of a match. */
const IN_A_MATCH = ["both", "full", "picked", "pickedWithYou", "pickedByYou", "tokenTo", "counted", "notYet", "theirTurn", "wasFor", "lot", "noDrop", "withTeam", "chooseAll", "rankUp", "countedSeveral", "pickedInRound", "youDecideTies"];

type Said = string | readonly unknown[] | object | ((...some: unknown[]) => string);

/** All that a word comes to, with something put in where something is wanted. */
function textsOf(said: Said): string[] {
  if (typeof said === "string") return [said];
  if (typeof said !== "function") return Object.values(said).flatMap((one) => textsOf(one as Said));
  return [1, 2, 7].map((number) => said(number, 7, 6));
}

function words(tongue: Tongue): [string, Said][] {
  return Object.entries(SPOKEN[tongue]) as [string, Said][];
}

test("each language says itself which it is, and is in the list of languages", () => {
  assert.deepEqual(Object.entries(SPOKEN).map(([tongue, { code }]) => [tongue, code]), Object.keys(TONGUES).sort().map((tongue) => [tongue, tongue]));
});

test("no language leaves anything unsaid, or to be filled in", () => {
  for (const tongue of Object.keys(SPOKEN) as Tongue[]) {
    assert.deepEqual(words(tongue).map(([name]) => name), words("en").map(([name]) => name));
    for (const [name, said] of words(tongue)) {
      const empty = textsOf(said).filter((text) => !text).length;
      assert.equal(empty, textsOf(SPOKEN.en[name as keyof typeof en]).filter((text) => !text).length, `${tongue}: ${name}`);
      assert.ok(!textsOf(said).some((text) => /undefined|null|NaN|\[object|\{/.test(text)), `${tongue}: ${name}`);
    }
  }
});

test("what is put into a sentence is in it", () => {
  for (const tongue of Object.keys(SPOKEN) as Tongue[]) {
    for (const [name, said] of words(tongue)) {
      if (typeof said !== "function" || said.length === 0 || name === "allCounted") continue;
      const put = ["41", "42", "43"].slice(0, said.length);
      const text = (said as (...some: string[]) => string)(...put);
      for (const one of put) assert.ok(text.includes(one), `${tongue}: ${name} says nothing of ${one}: ${text}`);
    }
  }
});

test("a sentence of a match is short enough for a small phone", () => {
  const long = "N".repeat(15) + "…";
  for (const tongue of Object.keys(SPOKEN) as Tongue[]) {
    for (const name of IN_A_MATCH) {
      const said = SPOKEN[tongue][name as "tokenTo"] as unknown as string | ((...some: unknown[]) => string);
      const text = typeof said === "string" ? said : name === "tokenTo" || name === "theirTurn" ? said(long) : said(7, name.startsWith("picked") ? "58\u00a0%" : name === "withTeam" ? 12 : long, "12,345");
      assert.ok(text.length <= MOST_LETTERS, `${tongue}: ${name} has ${text.length} letters: ${text}`);
    }
  }
});

test("one is one, and two are many", () => {
  assert.deepEqual([en.votes(1), en.votes(2)], ["1 vote", "2 votes"]);
  assert.deepEqual([de.votes(1), de.votes(2)], ["1 Stimme", "2 Stimmen"]);
  assert.deepEqual([es.votes(1), es.votes(2)], ["1 voto", "2 votos"]);
  assert.equal(en.allCounted(1, 1, 1), "1 of 1 vote counted and checked");
  assert.equal(en.allCounted(5, 5, 4), "5 of 5 votes counted, 4 checked");
  assert.equal(fr.allCounted(2, 3, 1), "2 votes comptés sur 3, 1 vérifié");
});
