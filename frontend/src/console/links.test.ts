import assert from "node:assert/strict";
import test from "node:test";
import type { EventState } from "../protocol";
import { cupLink, displayLinks, pageLinks, playedMatches, displayUrl, type LinkContext } from "./links";

const TEAMS = [{ number: 1, name: "Owls", hands: false }, { number: 2, name: "Foxes", hands: false }];

function linkContext(part: Partial<EventState> = {}, rest: Partial<LinkContext> = {}): LinkContext {
  const event = { code: "BCDF", teams: TEAMS, admission: "open", match: null, finished: [], ...part } as unknown as EventState;
  return { event, displayKey: "secret", role: "owner", ...rest };
}

test("only a projector that has to show codes gets the key, behind everything else", () => {
  assert.equal(displayUrl(linkContext()), "/display/BCDF");
  assert.equal(displayUrl(linkContext({ admission: "rotating" }), "side=back"), "/display/BCDF?side=back#secret");
  assert.equal(displayUrl(linkContext({ admission: "rotating" }, { displayKey: null })), "/display/BCDF");
});

test("each school has a screen of its own", () => {
  const homes = displayLinks(linkContext()).slice(0, 2).map(({ name, href }) => `${name}: ${href}`);
  assert.deepEqual(homes, ["At home with Owls: /display/BCDF?home=red", "At home with Foxes: /display/BCDF?home=yellow"]);
});

test("a door leads back to a cup, and nowhere else", () => {
  assert.equal(cupLink("?cup=BCDF2")?.href, "/console/cups/BCDF2/");
  for (const cup of ["", "BCDF", "BCDF23", "bcdf2", "BCDA2", "../BC", "BCDF2/", "BCDF2%0A"]) assert.equal(cupLink(`?cup=${cup}`), null);
  assert.equal(cupLink(""), null);
});

test("who looks on is shown no door that is closed", () => {
  assert.deepEqual(pageLinks(linkContext({}, { role: "viewer" })).map(({ name }) => name), ["My events"]);
  assert.ok(pageLinks(linkContext({ admission: "tickets" })).some(({ href }) => href === "/console/BCDF/tickets/"));
});

test("every match tells how it went, the latest first", () => {
  const finished = [{ number: 1, winner: 2, turns: 9 }, { number: 2, winner: null, turns: 42 }];
  const match = { number: 4, state: "playing", reveal: { number: 1 } };
  const played = playedMatches(linkContext({ finished, match } as unknown as Partial<EventState>).event);
  assert.deepEqual(played.map(({ number, text, record }) => [number, text, record !== null]), [[4, "is playing", false], [2, "A draw, 42 turns", true], [1, "Foxes won, 9 turns", true]]);
  assert.equal(played[1]?.record, "/record/BCDF/2.json");
});
