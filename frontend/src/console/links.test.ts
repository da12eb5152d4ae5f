import assert from "node:assert/strict";
import test from "node:test";
import type { EventState } from "../protocol";
import { cupLink, displayLinks, embedCodes, nextPairing, pageLinks, playedMatches, displayUrl, stageUrl, type LinkContext } from "./links";

const TEAMS = [{ number: 1, name: "Owls", source: "phones" }, { number: 2, name: "Foxes", source: "phones" }];

function linkContext(part: Partial<EventState> = {}, rest: Partial<LinkContext> = {}): LinkContext {
  const event = { code: "BCDF", teams: TEAMS, admission: "open", match: null, finished: [], ...part } as unknown as EventState;
  return { event, displayKey: "secret", role: "owner", ...rest };
}

test("a display gets the key at the end of its URL, but not from a viewer", () => {
  assert.equal(stageUrl(linkContext(), ""), "/stage/BCDF#secret");
  assert.equal(displayUrl(linkContext(), "side=back"), "/display/BCDF?side=back#secret");
  assert.equal(displayUrl(linkContext({}, { displayKey: null }), "side=back"), "/display/BCDF?side=back");
});

test("from a pairing, the big screen is that of the cup", () => {
  assert.equal(stageUrl(linkContext(), "?cup=BCDF2"), "/console/cups/BCDF2/stage/");
  assert.equal(stageUrl(linkContext({}, { displayKey: null }), "?cup=BCDF2"), "/stage/BCDF");
});

test("each team has a link to its own home display", () => {
  const homes = displayLinks(linkContext()).slice(0, 2).map(({ name, href }) => `${name}: ${href}`);
  assert.deepEqual(homes, ["Screen for Owls: /display/BCDF?home=red#secret", "Screen for Foxes: /display/BCDF?home=yellow#secret"]);
});

test("code for other sites is offered only if some may embed the event", () => {
  const sources = (embed_sites: string) => embedCodes(linkContext({ embed_sites }).event, "https://play.example/BCDF").map(({ html }) => /src="([^"]+)"/.exec(html)![1]);
  assert.deepEqual(sources("https://school.example"), ["https://play.example/embed/BCDF", "https://play.example/embed/BCDF/phone"]);
  assert.deepEqual(sources(""), []);
});

test("the cup link accepts only valid cup codes", () => {
  for (const cup of ["BCDF2", "BCDFG23"]) assert.equal(cupLink(`?cup=${cup}`)?.href, `/console/cups/${cup}/`);
  for (const cup of ["", "BCDF", "BCDF23456789BCDFG", "bcdf2", "BCDA2", "../BC", "BCDF2/", "BCDF2%0A"]) assert.equal(cupLink(`?cup=${cup}`), null);
  assert.equal(cupLink(""), null);
});

test("a decided pairing leads back to its cup", () => {
  const at = (winner: number | null, best_of: number | null = null) => linkContext({ best_of, finished: [{ number: 1, winner, turns: 9, end_reason: null }] }).event;
  assert.equal(nextPairing(at(1), "ended", "?cup=BCDF2")?.href, "/console/cups/BCDF2/");
  assert.equal(nextPairing(at(1), "reveal", "?cup=BCDF2"), null);
  assert.equal(nextPairing(at(null), "ended", "?cup=BCDF2"), null);
  assert.equal(nextPairing(at(1, 3), "ended", "?cup=BCDF2"), null);
  assert.equal(nextPairing(at(1), "ended", ""), null);
});

test("a viewer sees only links that a viewer may open", () => {
  assert.deepEqual(pageLinks(linkContext({}, { role: "viewer" })).map(({ name }) => name), []);
  assert.ok(pageLinks(linkContext({ admission: "tickets" })).some(({ href }) => href === "/console/BCDF/tickets/"));
});

test("matches are listed with their results, latest first", () => {
  const finished = [{ number: 1, winner: 2, turns: 9 }, { number: 2, winner: null, turns: 42 }];
  const match = { number: 4, state: "playing", reveal: { number: 1 } };
  const played = playedMatches(linkContext({ finished, match } as unknown as Partial<EventState>).event);
  assert.deepEqual(played.map(({ number, text, record }) => [number, text, record !== null]), [[4, "Live", false], [2, "Draw, 42 turns", true], [1, "Foxes won, 9 turns", true]]);
  assert.equal(played[1]?.record, "/record/BCDF/2.json");
});
