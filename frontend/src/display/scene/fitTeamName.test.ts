import assert from "node:assert/strict";
import test from "node:test";
import { fitTeamName } from "./fitTeamName";

/** All letters are half as wide as high. */
const measure = (text: string) => text.length / 2;
const fit = (name: string, other: string, width: number) => fitTeamName(name, other, { width: width / 0.97, largest: 100, least: 50 }, measure);

test("a name that fits is as large as possible", () => {
  assert.deepEqual(fit("Anchors", "Buoys", 350), { text: "Anchors", size: 100 });
});

test("shared words are left out before the font size is reduced", () => {
  assert.deepEqual(fit("Goethe Klasse 7b", "Goethe Klasse 8a", 350), { text: "…\u00a07b", size: 100 });
  assert.deepEqual(fit("Goethe Klasse 7b", "Goethe Klasse 8a", 495), { text: "Goethe …\u00a07b", size: 90 });
});

test("the font size is reduced before the name gets more lines", () => {
  assert.deepEqual(fit("Lighthouses", "Buoys", 330), { text: "Lighthouses", size: 60 });
  assert.deepEqual(fit("Owls of Riverside", "Buoys", 250), { text: "Owls of Riverside", size: 50 });
});

test("a word wider than the room keeps its start and end", () => {
  assert.deepEqual(fit("Lighthouses", "Buoys", 200), { text: "Ligh…ses", size: 50 });
});

test("a word that is only a little wider than the room stays whole, in smaller letters", () => {
  assert.deepEqual(fit("Lighthouses", "Buoys", 220), { text: "Lighthouses", size: 40 });
  assert.deepEqual(fit("Hall of Lighthouses", "Hall of Windmills", 220), { text: "Lighthouses", size: 40 });
});
