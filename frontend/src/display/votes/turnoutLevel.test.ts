import assert from "node:assert/strict";
import test from "node:test";
import { NOW, makeEvent, makeMatch, makeTurn } from "../fixtures";
import { sceneAt } from "../scene/scene";
import type { StageView } from "../scene/stageView";
import { turnoutLevel } from "./turnoutLevel";

const [NORTH, SOUTH] = makeEvent().teams;

function label(source: string, match = makeMatch()): (string | undefined)[] {
  const state = makeEvent({ match, teams: [NORTH, { ...SOUTH, source, is_public: source.startsWith("twitch:") }] });
  const { hint, source: text } = turnoutLevel({ state, scene: sceneAt(state, NOW), turnout: null, back: false } as unknown as StageView, 1);
  return [hint, text];
}

test("a chat's label says what to type while the vote is open, and always that votes are public", () => {
  const open = makeTurn({ legal: { red: [1], yellow: [2, 3, 5] } });
  assert.deepEqual(label("twitch:rooks", makeMatch({ turn: open })), ["Type 2\u2060–\u20605 in the chat", "Votes in chat are public"]);
  assert.deepEqual(label("twitch:rooks", makeMatch({ turn: { ...open, closes_at: NOW - 1 } })), ["", "Votes in chat are public"]);
});

test("the label of a team on Discord says how to vote while the vote is open, and nothing about public votes", () => {
  assert.deepEqual(label("discord:ab", makeMatch({ turn: makeTurn({}) })), ["Type /vote in Discord", ""]);
  assert.deepEqual(label("discord:ab", makeMatch({ turn: makeTurn({ closes_at: NOW - 1 }) })), ["", "by Discord"]);
});

test("other labels say nothing about a chat", () => {
  assert.deepEqual(label("hands"), ["", "by show of hands"]);
  assert.deepEqual(label("phones"), [undefined, undefined]);
});
