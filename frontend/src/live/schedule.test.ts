import assert from "node:assert/strict";
import { test } from "node:test";
import { makeEvent, makeMatch } from "../display/fixtures";
import { announcedText, endText, formatMoment, HOUR_MS } from "./schedule";

const NOW = Date.UTC(2030, 2, 18, 12);

test("the start is announced: of the first match all the time, of others until an hour before", () => {
  const ended = makeMatch({ state: "ended" });
  const at = (ms: number, match: typeof ended | null) => announcedText(makeEvent({ match, next_match_at: NOW + ms }), NOW);
  assert.match(at(HOUR_MS + 1, ended), /^The next match starts on .*March/);
  assert.equal(at(HOUR_MS, ended), "");
  assert.match(at(1, null), /^The next match starts on/);
  assert.equal(at(0, null), "");
  assert.equal(announcedText(makeEvent({ match: null }), NOW), "");
});

test("the end is announced from a day before it until the event is over", () => {
  for (const [text, begin] of [[announcedText, /^The event ends on .*no result/], [endText, /^Ends: Mon/]] as const) {
    const at = (ms: number, match = makeMatch()) => text(makeEvent({ match, ends_at: NOW + ms }), NOW);
    assert.equal(at(24 * HOUR_MS + 1), "");
    assert.match(at(10_000), begin);
    assert.equal(at(0), "", "the match is about to be aborted");
    assert.equal(at(0, makeMatch({ state: "aborted" })), "The event is over.");
  }
});

test("the organizer's message comes first", () => {
  assert.equal(announcedText(makeEvent({ notice: "Hello", ends_at: NOW + HOUR_MS }), NOW), "Hello");
});

test("times are in the reader's time zone", () => {
  assert.match(formatMoment(NOW, "long", "Asia/Tokyo"), /Monday.*18.*9:00/);
  assert.match(formatMoment(NOW, "short", "America/New_York"), /Mon.*18.*8:00/);
});
