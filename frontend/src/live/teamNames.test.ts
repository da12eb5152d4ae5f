import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import fc from "fast-check";
import { lineCount, nameForms, shortName } from "./teamNames";

const PAIRS = JSON.parse(readFileSync("../tests/e2e/name_pairs.json", "utf8")) as [string, string][];

const within = (most: number) => (text: string) => [...text].length <= most;
const both = (one: string, other: string, most: number) => [shortName(one, other, within(most)), shortName(other, one, within(most))];

test("a name that fits stays as it is", () => {
  assert.deepEqual(both("Hall 1", "Hall 2", 6), ["Hall 1", "Hall 2"]);
});

test("words that both names share are left out first", () => {
  const [seven, eight] = ["Goethe-Gymnasium Klasse 7b", "Goethe-Gymnasium Klasse 8a"];
  assert.deepEqual(both(seven, eight, 21), ["Goethe-Gymnasium …\u00a07b", "Goethe-Gymnasium …\u00a08a"]);
  assert.deepEqual(both(seven, eight, 11), ["Goethe-… 7b", "Goethe-… 8a"]);
  assert.deepEqual(both(seven, eight, 10), ["…\u00a07b", "…\u00a08a"]);
  assert.deepEqual(both("Northern Lights Choir", "Southern Lights Choir", 12), ["Northern\u00a0…", "Southern\u00a0…"]);
  assert.deepEqual(both("Team Rot am Platz", "Team Blau am Platz", 15), ["…\u00a0Rot am Platz", "…\u00a0Blau am Platz"]);
  assert.deepEqual(both("Team Rot am Platz", "Team Blau am Platz", 9), ["…\u00a0Rot\u00a0…", "…\u00a0Blau\u00a0…"]);
  assert.deepEqual(both("Team Rot am Platz", "Team Blau am Platz", 5), ["Rot", "Blau"]);
  assert.deepEqual(both("北京第一中学七年级一班", "北京第一中学七年级二班", 5), ["北京…一班", "北京…二班"]);
  assert.deepEqual(both("القاعة الكبرى", "القاعة الصغرى", 10), ["…\u00a0الكبرى", "…\u00a0الصغرى"]);
});

test("a name that continues the other one keeps its last shared word", () => {
  assert.deepEqual(both("Riverside School", "Riverside School 2", 10), ["…\u00a0School", "…\u00a0School 2"]);
});

test("words in the middle or at the end are left out of names that share none", () => {
  assert.deepEqual(both("The Owls of Riverside", "Grundschule am Mühlenweg", 20), ["The Owls … Riverside", "Grundschule am\u00a0…"]);
  assert.deepEqual(both("The Owls of Riverside", "Grundschule am Mühlenweg", 14), ["The Owls of\u00a0…", "Grundschule\u00a0…"]);
});

test("a word that is too long keeps its start and end", () => {
  assert.deepEqual(both("Donaudampfschiff", "Schiffskapitän", 7), ["Don…iff", "Sch…tän"]);
});

test("a word that is too long shows what differs in its middle", () => {
  assert.deepEqual(both("Grundschulsüdseite", "Grundschulnordseite", 7), ["G…süds…", "G…nord…"]);
});

test("letters of a grapheme and joined Arabic letters are not separated", () => {
  assert.equal(shortName("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "x", within(11)), "👩‍👩‍👧…👩‍👩‍👧");
  assert.equal(shortName("الاستقلالات", "x", within(8)), "الا…لات");
});

test("all forms of different names differ", () => {
  const name = fc.array(fc.constantFrom("Klasse", "7b", "8a", "am", "北", "京", "القاعة", "الصغرى"), { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
  fc.assert(fc.property(name, name, (one, other) => {
    fc.pre(one !== other);
    for (const form of nameForms(one, other)) assert.ok(!nameForms(other, one).includes(form), form);
  }));
});

test("a name that is the end of the other one is no form of it", () => {
  assert.deepEqual(nameForms("Klasse 7b Klasse 7b", "Klasse 7b").includes("Klasse 7b"), false);
});

test("the pairs of the browser tests differ at any length", () => {
  for (const [one, other] of PAIRS) {
    for (let most = 1; most < 40; most++) assert.notEqual(...(both(one, other, most) as [string, string]));
  }
});

test("a line ends after a word, a hyphen or a Chinese character", () => {
  const measure = (text: string) => text.length;
  assert.equal(lineCount("Goethe-Gymnasium 7b", 12, measure), 2);
  assert.equal(lineCount("Goethe-Gymnasium 7b", 8, measure), Infinity);
  assert.equal(lineCount("…\u00a0北京一班", 3, measure), 2);
  assert.equal(lineCount("Goethe-… 7b", 7, measure), Infinity);
});
