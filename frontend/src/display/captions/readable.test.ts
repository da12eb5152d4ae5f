import assert from "node:assert/strict";
import test from "node:test";
import { makeEvent, makeMatch } from "../fixtures";
import type { Match, Pace, Reveal, RevealSteps } from "../../protocol";
import { sideAtPlace, tallyForSide } from "../scene/places";
import { revealPlan, timelineSteps } from "../scene/timeline";
import { pickTexts } from "./pickTexts";
import { CELEBRATION_MS } from "../scene/scene";
import { matchVerdict, revealSentence, unitedText } from "./captions";
import type { MatchContext } from "./sentence";
import { readingTime } from "./readingTime";
import { verdictText } from "../../live/match/verdict";
import { english, translateWith } from "../../live/i18n";
import { Catalog, LANGUAGES } from "../../../messages";
import situations from "./situations.json" with { type: "json" };

interface Situation extends Pick<Match, "game" | "tally_method" | "board"> {
  name: string;
  names: [string, string];
  reveal: Reveal;
  steps: { [pace in Exclude<Pace, "instant">]: RevealSteps };
}

const SITUATIONS = situations as unknown as Situation[];

/** A text on the wall, and how long it stays. */
interface Shown {
  text: string;
  ms: number;
}

function shownTexts(situation: Situation, pace: keyof Situation["steps"]): Shown[] {
  const steps = situation.steps[pace];
  const reveal = { ...situation.reveal, steps };
  const match = makeMatch({ ...situation, pace, reveal });
  const [one, other] = makeEvent().teams;
  const state = makeEvent({ match, teams: [{ ...one, name: situation.names[0] }, { ...other, name: situation.names[1] }] });
  const begun = timelineSteps(revealPlan(reveal, reveal.close_call)).filter(([step]) => step !== "over");
  const captions: Shown[] = [];
  begun.forEach(([step, at], index) => {
    const sentence = revealSentence(step, { state, match, reveal }, reveal.close_call);
    const text = sentence.map((part) => (typeof part === "string" ? part : part.name)).join("");
    const ms = (begun[index + 1]?.[1] ?? steps.over) - at;
    const last = captions[captions.length - 1];
    if (last?.text === text) last.ms += ms;
    else captions.push({ text, ms });
  });
  return [...captions, ...picks({ state, match }, reveal), ...barFigures(reveal)].filter(({ text }) => text);
}

/** The picks of both teams, which stay until the end: who chose what, with how many votes. */
function picks(context: MatchContext, reveal: Reveal): Shown[] {
  const texts = ([0, 1] as const).flatMap((place) => {
    const tally = tallyForSide(reveal, sideAtPlace(context.match, place));
    return tally ? Object.values(pickTexts(context, tally, place, false)) : [];
  });
  return [{ text: texts.join(" "), ms: reveal.steps.over - reveal.steps.picks }];
}

/** The figures on the two highest bars of each side, until the board grows or the balls have landed. */
function barFigures({ red, yellow, steps }: Reveal): Shown[] {
  const figures = [red, yellow].flatMap((tally) => [...(tally?.counts ?? [])].filter(Boolean).sort((one, other) => other - one).slice(0, 2));
  return [{ text: figures.join(" "), ms: (steps.hold ?? steps.lines) - steps.picks }];
}

for (const language of ["en", ...LANGUAGES])
  test(`every text of a reveal can be read: ${language}`, (context) => {
    const catalog = language === "en" ? null : new Catalog(language);
    if (catalog) translateWith((...message) => catalog.translate(...message));
    context.after(() => translateWith(english));
    const paces = ["brisk", "normal", "dramatic"] as const;
    const shown = paces.flatMap((pace) => SITUATIONS.flatMap((situation) => shownTexts(situation, pace)));
    const tooShort = shown.filter(({ text, ms }) => ms < readingTime(text)).map(({ text, ms }) => `${ms} of ${readingTime(text)} ms: ${text}`);
    assert.deepEqual([...new Set(tooShort)], []);
  });

for (const language of ["en", ...LANGUAGES])
  test(`every text of an end screen can be read before the recap: ${language}`, (context) => {
    const catalog = language === "en" ? null : new Catalog(language);
    if (catalog) translateWith((...message) => catalog.translate(...message));
    context.after(() => translateWith(english));
    const tooShort = SITUATIONS.map(endTexts).filter((text) => readingTime(text) > CELEBRATION_MS - APPEARS_MS);
    assert.deepEqual(tooShort, []);
  });

/** How long after the end of the reveal the text of the end screen appears (`.end` in the style sheet). */
const APPEARS_MS = 1000;

/** The texts of the end screen. Empty if the match goes on, or if the names are long, which the screen shortens. */
function endTexts(situation: Situation): string {
  const { result, double_win, lines } = situation.reveal.resolution;
  if (result === "open" || situation.names[0] !== "North Hall") return "";
  const match = makeMatch({ ...situation, state: "ended", result, ended_by: "board", turn: null, end_reason: double_win ? "holder" : lines.length ? "line" : "full" });
  const [one, other] = makeEvent().teams;
  const state = makeEvent({ match, teams: [{ ...one, name: situation.names[0] }, { ...other, name: situation.names[1] }] });
  const { title, line, reason, winner } = matchVerdict({ state, home: false }, match);
  return [title, line, reason, winner ? unitedText(state, match, winner) : situation.names.join(" "), "1", "0"].join(" ");
}

test("an ordinary turn takes six seconds, a special one longer", () => {
  const lengths = new Map(SITUATIONS.map(({ name, names, steps }) => [name.replace(` (${names[0]})`, ""), steps.normal.over]));
  const ordinary = lengths.get("an ordinary turn")!;
  assert.equal(ordinary, 5800);
  for (const name of ["a conflict", "a block", "a win", "a close vote", "four in a row for both"]) assert.ok(lengths.get(name)! > ordinary, name);
});

for (const language of ["en", ...LANGUAGES])
  test(`what a choice was worth has at most 12 words besides the name: ${language}`, (context) => {
    const catalog = language === "en" ? null : new Catalog(language);
    if (catalog) translateWith((...message) => catalog.translate(...message));
    context.after(() => translateWith(english));
    for (const quality of ["inaccuracy", "mistake", "blunder"] as const) {
      const text = verdictText([{ side: "red", column: 3, quality, held: 4, share: 0.12 }], () => "North", 0.5);
      assert.ok(readingTime(text) <= 1000 + 250 * (12 + 1), text);
    }
  });
