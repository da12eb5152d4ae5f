import assert from "node:assert/strict";
import test from "node:test";
import { currentSeries } from "../live/match/series";
import type { BoxFigures } from "../protocol";
import { fromHomeTeam } from "./homeScreen";
import { sidePlace, sideShownAtPlace, teamAtPlace } from "./scene/places";
import { makeEvent } from "./fixtures";

const turnout = { type: "turnout.counted", turn: 7, connected: [90, 70], voted: [9, 7], picked_at: [5, 0], watching: 0, votes_per_s: 3, figures: {} as BoxFigures } as const;
const cheers = { all: [5, 6], latest: [1, 2] } as const;
const finished = [{ number: 1, winner: 1, turns: 9, end_reason: null }, { number: 2, winner: null, turns: 40, end_reason: null }];
const fullState = { state: makeEvent({ finished }), turnout, cheers };

test("the home team is on the left with all its numbers", () => {
  const { state, turnout, cheers } = fromHomeTeam("yellow", fullState);
  assert.deepEqual([teamAtPlace(state, 0).name, teamAtPlace(state, 1).name], ["South", "North"]);
  assert.deepEqual([turnout?.connected, turnout?.voted, turnout?.picked_at], [[70, 90], [7, 9], [0, 5]]);
  assert.deepEqual([cheers.all, cheers.latest], [[6, 5], [2, 1]]);
  assert.deepEqual(currentSeries(state).won, [0, 1]);
});

test("a team keeps its color, before and during a match", () => {
  const { state } = fromHomeTeam("yellow", fullState);
  assert.equal(sidePlace(state.match, "yellow"), 0);
  assert.equal(sideShownAtPlace({ state, match: state.match }, 0), "yellow");
  assert.equal(sideShownAtPlace({ state, match: null }, 0), "yellow");
  assert.equal(sideShownAtPlace({ state, match: null }, 1), "red");
});

test("the first team, or no home team, leaves the state unchanged", () => {
  assert.equal(fromHomeTeam("red", fullState), fullState);
  assert.equal(fromHomeTeam(null, fullState), fullState);
});
