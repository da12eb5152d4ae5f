import assert from "node:assert/strict";
import test from "node:test";
import { makeEvent } from "../fixtures";
import { fitSentence, sentenceText } from "./sentence";

test("names are shortened until a sentence fits", () => {
  const [one, two] = makeEvent().teams;
  const state = makeEvent({ teams: [{ ...one, name: "Goethe Klasse 7b" }, { ...two, name: "Goethe Klasse 8a" }] });
  const sentence = [{ side: "red", name: "Goethe Klasse 7b" }, " needs 1, ", { side: "yellow", name: "Goethe Klasse 8a" }, " needs 2"] as const;
  const fit = (length: number) => sentenceText(fitSentence(state, sentence, (text) => text.length <= length));
  assert.equal(fit(60), "Goethe Klasse 7b needs 1, Goethe Klasse 8a needs 2");
  assert.equal(fit(45), "Goethe …\u00a07b needs 1, Goethe …\u00a08a needs 2");
  assert.equal(fit(30), "…\u00a07b needs 1, …\u00a08a needs 2");
});
