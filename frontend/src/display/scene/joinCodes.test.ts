import assert from "node:assert/strict";
import test from "node:test";
import { makeEvent } from "../fixtures";
import { joinCodes } from "./joinCodes";

const SHOWN = { type: "key.shown", key: "R7KQ2", until_at: 0, join_url: "http://play.example/K7QX#R7KQ2AB", qr: ["0"], team_qrs: [["1"], ["2"]] } as const;
const EVENT = { url: SHOWN.join_url, rows: ["0"] };
const FIRST = { url: "http://play.example/K7QX/1#R7KQ2AB", rows: ["1"] };
const SECOND = { url: "http://play.example/K7QX/2#R7KQ2AB", rows: ["2"] };
const [north, south] = makeEvent().teams;

test("one code serves both teams unless each team has a link", () => {
  for (const team_choice of ["balance", "choose"] as const) assert.deepEqual(joinCodes(makeEvent({ team_choice }), false, SHOWN), { event: EVENT, teams: null });
  assert.deepEqual(joinCodes(makeEvent({ team_choice: "link" }), false, SHOWN), { event: EVENT, teams: [FIRST, SECOND] });
});

test("one code is enough if only one team takes phones", () => {
  const teams = [north, { ...south, source: "hands" }] as const;
  assert.equal(joinCodes(makeEvent({ team_choice: "link", teams }), false, SHOWN).teams, null);
});

test("a team's own screen shows that team's code", () => {
  const teams = [south, north] as const;
  assert.deepEqual(joinCodes(makeEvent({ team_choice: "link", teams }), true, SHOWN), { event: SECOND, teams: null });
});
