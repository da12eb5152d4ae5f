import assert from "node:assert/strict";
import test from "node:test";
import { LOCALES, type Locale } from "../locales";
import * as de from "./de";
import * as en from "./en";
import * as es from "./es";
import * as fr from "./fr";
import * as zh from "./zh";

/** The compiler checks that each language has the names and arguments of the English catalog. */
const CATALOGS: { [locale in Locale]: typeof en } = { de, en, es, fr, zh };

/** Two lines on a phone 320 pixels wide, including a team's name. */
const MAX_LENGTH = 84;
/** Texts that take only a name. */
const NAMED = ["tokenTo", "theirTurn", "theySecretly", "theyOpenly"];
/** Texts below the clock during a match. */
const IN_A_MATCH = [
  ...["both", "full", "picked", "pickedWithYou", "pickedByYou", "tokenTo", "counted", "notYet", "theirTurn", "wasFor", "lot", "noDrop", "withTeam"],
  ...["chooseAll", "rankUp", "countedSeveral", "givePoints", "countedPoints", "pickedInRound", "youDecideTies"],
  ...["inSecret", "openly", "theySecretly", "theyOpenly"],
];

type DictionaryEntry = string | readonly unknown[] | object | ((...some: unknown[]) => string);

/** All texts of an entry, with sample arguments. */
function allTexts(entry: DictionaryEntry): string[] {
  if (typeof entry === "string") return [entry];
  if (typeof entry !== "function") return Object.values(entry).flatMap((one) => allTexts(one as DictionaryEntry));
  return [1, 2, 7].map((number) => entry(number, 7, 6));
}

function words(locale: Locale): [string, DictionaryEntry][] {
  return Object.entries(CATALOGS[locale]) as [string, DictionaryEntry][];
}

test("each catalog has its own code and is in the list of locales", () => {
  assert.deepEqual(Object.entries(CATALOGS).map(([locale, { code }]) => [locale, code]), Object.keys(LOCALES).sort().map((locale) => [locale, locale]));
});

test("no catalog has missing entries or placeholders", () => {
  for (const locale of Object.keys(CATALOGS) as Locale[]) {
    assert.deepEqual(words(locale).map(([name]) => name), words("en").map(([name]) => name));
    for (const [name, entry] of words(locale)) {
      const empty = allTexts(entry).filter((text) => !text).length;
      assert.equal(empty, allTexts(CATALOGS.en[name as keyof typeof en]).filter((text) => !text).length, `${locale}: ${name}`);
      assert.ok(!allTexts(entry).some((text) => /undefined|null|NaN|\[object|\{/.test(text)), `${locale}: ${name}`);
    }
  }
});

test("every argument appears in its text", () => {
  for (const locale of Object.keys(CATALOGS) as Locale[]) {
    for (const [name, entry] of words(locale)) {
      if (typeof entry !== "function" || entry.length === 0 || name === "allCounted") continue;
      const put = ["41", "42", "43"].slice(0, entry.length);
      const text = (entry as (...some: string[]) => string)(...put);
      for (const one of put) assert.ok(text.includes(one), `${locale}: ${name} does not contain ${one}: ${text}`);
    }
  }
});

test("texts during a match are short enough for a small phone", () => {
  const long = "N".repeat(15) + "…";
  for (const locale of Object.keys(CATALOGS) as Locale[]) {
    for (const name of IN_A_MATCH) {
      const entry = CATALOGS[locale][name as "tokenTo"] as unknown as string | ((...some: unknown[]) => string);
      const text = typeof entry === "string" ? entry : NAMED.includes(name) ? entry(long) : entry(7, name.startsWith("picked") ? "58\u00a0%" : name === "withTeam" ? 12 : long, "12,345");
      assert.ok(text.length <= MAX_LENGTH, `${locale}: ${name} has ${text.length} characters: ${text}`);
    }
  }
});

test("points for seven columns fit on a small phone", () => {
  const points = [1, 2, 3, 4, 5, 6, 7].map((column) => `${column} ×5`).join(", ");
  for (const [locale, { countedPoints }] of Object.entries(CATALOGS)) assert.ok(countedPoints(points).length <= MAX_LENGTH, `${locale}: ${countedPoints(points)}`);
});

test("plural forms are correct", () => {
  assert.deepEqual([en.votes(1), en.votes(2)], ["1 vote", "2 votes"]);
  assert.deepEqual([de.votes(1), de.votes(2)], ["1 Stimme", "2 Stimmen"]);
  assert.deepEqual([es.votes(1), es.votes(2)], ["1 voto", "2 votos"]);
  assert.deepEqual([en.scored(1), de.scored(2), es.youGave(1)], ["1 point", "2 Punkte", "le diste 1 punto"]);
  assert.equal(en.allCounted(1, 1, 1), "1 of 1 vote counted and checked");
  assert.equal(en.allCounted(5, 5, 4), "5 of 5 votes counted, 4 checked");
  assert.equal(fr.allCounted(2, 3, 1), "2 votes comptés sur 3, 1 vérifié");
});
