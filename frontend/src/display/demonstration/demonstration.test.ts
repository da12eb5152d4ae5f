import assert from "node:assert/strict";
import test from "node:test";
import { makeEvent } from "../fixtures";
import { readingTime } from "../captions/readingTime";
import { Catalog, LANGUAGES } from "../../../messages";
import { STEPS, hasIntroduction, loopMoment, specialRules } from "./demonstration";

test("every caption of the demonstration can be read", () => {
  for (const language of ["en", ...LANGUAGES]) {
    const catalog = language === "en" ? null : new Catalog(language);
    for (const { captions, lasts } of STEPS)
      captions.forEach(({ at, text }, index) => {
        const shown = catalog ? catalog.translate("", [text], 1) : text;
        const ms = (captions[index + 1]?.at ?? lasts) - at;
        assert.ok(ms >= readingTime(shown), `${language}: ${ms} of ${readingTime(shown)} ms: ${shown}`);
      });
  }
});

test("the loop shows three steps in 12 to 15 seconds, then the special rules", () => {
  const lasts = STEPS.reduce((sum, step) => sum + step.lasts, 0);
  assert.ok(12_000 <= lasts && lasts <= 15_000);
  const state = makeEvent({ match: null, special_rules: ["captains"] });
  assert.deepEqual([0, 5000, 14_000].map((now) => STEPS.indexOf(loopMoment(state, now).step!)), [0, 1, 2]);
  assert.equal(loopMoment(state, lasts).step, null);
});

test("a game with other rules is not demonstrated", () => {
  assert.ok(!hasIntroduction(makeEvent({ game: "trails" })));
  assert.equal(loopMoment(makeEvent({ game: "trails", special_rules: ["captains"] }), 0).step, null);
});

test("many special rules are shown one part after the other", () => {
  const state = makeEvent({ game: "trails", special_rules: ["single_selector", "captains", "resigning", "time_banks"] });
  const first = loopMoment(state, 0);
  const second = loopMoment(state, first.lasts);
  assert.deepEqual([first.rules.length, second.rules.length], [2, 2]);
  assert.deepEqual([...first.rules, ...second.rules], specialRules(state));
  assert.deepEqual(loopMoment(state, first.lasts + second.lasts), first);
});
