import assert from "node:assert/strict";
import test from "node:test";
import type { EventState, PeopleAsk, PeopleFound, Person } from "../../protocol";
import { isVoterCode, PeopleSearch, personOffers, formatVoterCode, personStatus } from "./peopleSearch";

const EVENT = { teams: [{ number: 1, name: "Rooks", source: "phones" }, { number: 2, name: "Doves", source: "phones" }] } as unknown as EventState;
const BY_HANDS = { teams: [EVENT.teams[0], { ...EVENT.teams[1], source: "hands" }] } as unknown as EventState;
const ADA: Person = { voter_code: "BCDFGH", name: "Ada", team: 1, moved: null, banned: false, removed: false, connected: true, voted: null, nickname: "", nickname_status: "none" };

function results(id: number, names: readonly string[], more = ""): PeopleFound {
  return { type: "people.found", id, more, people: names.map((name) => ({ ...ADA, name, voter_code: name.toUpperCase() })) };
}

function makeSearch() {
  const asked: PeopleAsk[] = [];
  const people = new PeopleSearch((ask) => !!asked.push(ask));
  const names = () => people.store.get().people?.map(({ name }) => name);
  return { asked, people, names };
}

test("an answer to an outdated search is ignored", () => {
  const { people, names } = makeSearch();
  people.search({ query: "a" });
  people.search({ query: "ab" });
  people.receive(results(2, ["abel"]));
  people.receive(results(1, ["ada", "abel"]));
  assert.deepEqual(names(), ["abel"]);
});

test("the list is outdated from the first letter until the answer to what is typed and selected", () => {
  const { people } = makeSearch();
  const isOutdated = () => people.store.get().outdated;
  people.search();
  assert.equal(isOutdated(), false);
  people.type("ab");
  assert.equal(isOutdated(), true);
  people.receive(results(1, ["ada", "abel"]));
  assert.equal(isOutdated(), true);
  people.search({ query: "ab" });
  people.type("abe");
  people.receive(results(2, ["abel", "abner"]));
  assert.equal(isOutdated(), true);
  people.type("ab");
  assert.equal(isOutdated(), false);
  people.search({ team: 1 });
  assert.equal(isOutdated(), true);
  people.receive(results(3, ["abel"]));
  assert.equal(isOutdated(), false);
});

test("loading more appends results without duplicates, and a refresh keeps them", () => {
  const { people, names, asked } = makeSearch();
  people.search({ team: 1, voted: false });
  people.receive(results(1, ["a", "b"], "c7"));
  people.refresh();
  people.receive(results(2, ["a", "b"], "c7"));
  people.loadMore();
  assert.deepEqual(asked.at(-1), { type: "people.ask", id: 3, query: "", team: 1, voted: false, after: "c7" });
  for (let again = 0; again < 2; again++) people.receive(results(3, ["b", "c"]));
  people.refresh();
  assert.equal(asked.length, 3);
  assert.deepEqual(names(), ["a", "b", "c"]);
  assert.equal(people.store.get().more, "");
});

test("a restriction by anyone repeats the search, other actions do not, and viewers never search", () => {
  const { people, asked } = makeSearch();
  const receiveEntry = (action: string) => people.receive({ type: "audit.updated", entries: [{ action }] } as never);
  people.receive({ type: "console.welcomed", role: "viewer" } as never);
  people.refresh();
  receiveEntry("turn.pause");
  assert.equal(asked.length, 0);
  people.search({ query: "ada" });
  receiveEntry("voter.ban");
  assert.deepEqual(asked.map(({ query }) => query), ["ada", "ada"]);
});

test("a voter code is shown in two halves and recognized in any notation", () => {
  assert.equal(formatVoterCode("BCDFGH"), "BCD\u00a0FGH");
  assert.deepEqual(["bcd fgh", "BCD-FGH", "BCDFG", "Bertha", "BCDFGHJ"].map(isVoterCode), [true, true, false, false, false]);
});

test("the status names a person's team and restriction", () => {
  const shownStatus = (part: Partial<Person>) => personStatus({ ...ADA, ...part }, EVENT);
  assert.deepEqual([shownStatus({}), shownStatus({ team: null }), shownStatus({ moved: 2 }), shownStatus({ moved: 2, banned: true }), shownStatus({ removed: true })], ["Rooks", "", "Moved to Doves", "Banned", "Removed"]);
});

test("only applicable actions are offered", () => {
  const labels = (part: Partial<Person>, event = EVENT) => personOffers({ ...ADA, ...part }, event).map(({ label }) => label);
  assert.deepEqual(labels({}), ["Move to Doves", "Remove", "Ban"]);
  assert.deepEqual(labels({ team: null }), ["Move to Rooks", "Move to Doves", "Remove", "Ban"]);
  assert.deepEqual(labels({ moved: 2 }), ["Move back", "Remove", "Ban"]);
  assert.deepEqual(labels({ banned: true }), ["Unban"]);
  assert.deepEqual(labels({ removed: true }), ["Let back in", "Ban"]);
  assert.deepEqual(labels({}, BY_HANDS), ["Remove", "Ban"]);
  for (const moved of [null, 2]) assert.deepEqual(labels({ moved }, { ...EVENT, match: { state: "playing", max_side_changes: 1 } } as EventState), ["Remove", "Ban"]);
  assert.deepEqual(labels({ nickname: "Ann", nickname_status: "waiting" }), ["Allow nickname", "Remove nickname", "Move to Doves", "Remove", "Ban"]);
  assert.equal(personOffers({ ...ADA, nickname: "Ann", nickname_status: "waiting" }, EVENT)[0]!.text, "Ann");
  assert.deepEqual(labels({ nickname: "Ann", nickname_status: "removed" }), ["Restore nickname", "Move to Doves", "Remove", "Ban"]);
  const led = { ...EVENT, captains: true, teams: [{ ...EVENT.teams[0]!, captain: ADA.voter_code }, EVENT.teams[1]!] } as EventState;
  assert.deepEqual(labels({}, led), ["Move to Doves", "End captaincy", "Remove", "Ban"]);
  assert.deepEqual(labels({ voter_code: "XXXXXX" }, led), ["Move to Doves", "Make captain of Rooks", "Remove", "Ban"]);
  assert.equal(personStatus(ADA, led), "Captain of Rooks");
  for (const offer of personOffers(ADA, EVENT)) assert.equal(offer.voter_code, "BCDFGH");
  assert.deepEqual(personOffers({ ...ADA, moved: 2 }, EVENT)[0]?.team, null);
});
