import assert from "node:assert/strict";
import test from "node:test";
import { makeEvent, makeMatch, makeTurn, NOW, stacked } from "../fixtures";
import type { EventState, Match, Pace, Reveal, RevealSteps, Verdict } from "../../protocol";
import { sideAtPlace, tallyForSide } from "../scene/places";
import { revealPlan, timelineSteps } from "../scene/timeline";
import { pickTexts } from "./pickTexts";
import { judgesText } from "./analysis";
import { CELEBRATION_MS, LAST_TURN_MS, LATE_MS, MISTAKE_MS } from "../scene/scene";
import { turnoutText } from "../votes/turnoutLevel";
import { matchVerdict, revealSentence, unitedText } from "./captions";
import { openingSentence } from "./openingSentence";
import { sentenceText, type MatchContext } from "./sentence";
import { readingTime } from "./readingTime";
import { mistakeText, turningText, verdictText } from "../../live/match/verdict";
import { english, t, translateWith } from "../../live/i18n";
import { Catalog, LANGUAGES } from "../../../messages";
import situations from "./situations.json" with { type: "json" };

interface Situation extends Pick<Match, "game" | "tally_method" | "board"> {
  name: string;
  names: [string, string];
  reveal: Reveal;
  steps: { [pace in Exclude<Pace, "instant">]: RevealSteps };
}

const IN_TIME = situations as unknown as Situation[];
const SITUATIONS = [...IN_TIME, ...IN_TIME.map((situation) => ({ ...situation, reveal: { ...situation.reveal, sealed_at: situation.reveal.resolved_at - LATE_MS } }))];

/** A text on the wall, and how long it stays. */
interface Shown {
  text: string;
  ms: number;
}

function shownTexts(situation: Situation, pace: keyof Situation["steps"]): Shown[] {
  const steps = situation.steps[pace];
  const reveal = { ...situation.reveal, steps };
  const match = makeMatch({ ...situation, pace, reveal });
  const state = makeNamedEvent(match, situation.names);
  const begun = timelineSteps(revealPlan(reveal, reveal.close_call)).filter(([step]) => step !== "over");
  const captions: Shown[] = [];
  begun.forEach(([step, at], index) => {
    const text = sentenceText(revealSentence(step, { state, match, reveal }, reveal.close_call));
    const ms = (begun[index + 1]?.[1] ?? steps.over) - at;
    const last = captions[captions.length - 1];
    if (last?.text === text) last.ms += ms;
    else captions.push({ text, ms });
  });
  return [...captions, counted(reveal), ...picks({ state, match }, reveal), ...barFigures(reveal)].filter(({ text }) => text);
}

function makeNamedEvent(match: Match, [red, yellow]: readonly [string, string]): EventState {
  const [one, other] = makeEvent().teams;
  return makeEvent({ match, teams: [{ ...one, name: red }, { ...other, name: yellow }] });
}

/** How many voted, on both turnout bars. */
function counted({ red, yellow, steps }: Reveal): Shown {
  const texts = [red, yellow].map((tally) => (tally?.counts.length ? `${tally.ballots} ${turnoutText("voted", tally.ballots)}` : ""));
  return { text: texts.join(" ").trim(), ms: steps.picks };
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
  const state = makeNamedEvent(match, situation.names);
  const { title, line, reason, winner } = matchVerdict({ state, home: false }, match);
  return [title, line, reason, winner ? unitedText(state, match, winner) : situation.names.join(" "), "1", "0"].join(" ");
}

const LONG_NAMES = ["The Owls of Riverside Comprehensive", "Grundschule am Alten Mühlenweg"] as const;

for (const language of ["en", ...LANGUAGES])
  test(`a hint at the opening of a vote, and the analysis of a match, can be read: ${language}`, (context) => {
    const catalog = language === "en" ? null : new Catalog(language);
    if (catalog) translateWith((...message) => catalog.translate(...message));
    context.after(() => translateWith(english));
    const match = makeMatch({ turn: makeTurn({ opens_at: NOW }), board: stacked(["RRR", "RRR", "RRR", "", "YYY", "YYY", "YYY"]) });
    const hint = (ms: number) => sentenceText(openingSentence({ state: makeNamedEvent(match, LONG_NAMES), match }, false, NOW + ms));
    assert.ok(readingTime(hint(0)) > 5000, hint(0));
    assert.equal(hint(readingTime(hint(0)) - 1), hint(0));

    const nameOf = () => LONG_NAMES[0];
    const verdict: Verdict = { side: "red", column: 3, quality: "mistake", loss: 0.15, held: 4, share: 0.12 };
    const lastTurn = [verdictText([verdict], nameOf, 0.5), t("Winning chance"), "44%", "56%"].join(" ");
    assert.ok(readingTime(lastTurn) <= LAST_TURN_MS, lastTurn);
    const mistake = { number: 8, verdict, board: match.board, before: 0.5, after: 0.9, margin: 0 };
    const decided = turningText({ turning: 9, mistake, missed: { side: "red", turns: 12 }, judges: [] }, nameOf);
    const screen = [lastTurn, mistakeText(mistake, "yellow"), decided, LONG_NAMES[1]].join(" ");
    assert.ok(readingTime(screen) <= MISTAKE_MS, screen);
    const judges = judgesText(["Wandering Cormorant 72", "", "Wandering Cormorant 27"].map((name) => ({ name, hash: "" })));
    assert.ok(readingTime(`${screen} ${judges.replaceAll("\u00a0", " ")}`) <= LAST_TURN_MS + MISTAKE_MS, judges);
  });

test("an ordinary turn takes about six seconds, a special one longer", () => {
  const lengths = new Map(SITUATIONS.map(({ name, names, steps }) => [name.replace(` (${names[0]})`, ""), steps.normal.over]));
  const ordinary = lengths.get("an ordinary turn")!;
  assert.equal(ordinary, 6400);
  for (const name of ["a conflict", "a block", "a win", "a close vote", "four in a row for both"]) assert.ok(lengths.get(name)! > ordinary, name);
});

for (const language of ["en", ...LANGUAGES])
  test(`what a choice was worth has at most 12 words besides the name: ${language}`, (context) => {
    const catalog = language === "en" ? null : new Catalog(language);
    if (catalog) translateWith((...message) => catalog.translate(...message));
    context.after(() => translateWith(english));
    for (const quality of ["inaccuracy", "mistake", "blunder", null] as const) {
      const text = verdictText([{ side: "red", column: 3, quality, loss: 0.25, held: 4, share: 0.12 }], () => "North", 0.5);
      assert.ok(readingTime(text) <= 1000 + 250 * (12 + 1), text);
    }
  });
