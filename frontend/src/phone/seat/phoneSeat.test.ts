import assert from "node:assert/strict";
import test, { afterEach, mock } from "node:test";
import { FakeWebSocket } from "../../live/connection/fakeWebSocket";
import { CloseCode, type EventState, type PagePreload, type PhoneWelcomed } from "../../protocol";
import { PhoneSeat } from "./phoneSeat";
import { storeToken, readToken } from "./storage";

Object.assign(performance, { timing: { navigationStart: 0, requestStart: 0, responseStart: 0 } });

const CODE = "HALL";
const at = (turn: number) => ({ code: CODE, admission: "open", match: { id: 1, red: 1, turn: { id: turn, number: turn, epoch: 1 } } }) as unknown as EventState;
const page = (part: Partial<PagePreload> = {}): PagePreload => ({ seq: 4, state: at(7), now_at: Date.now(), offer: "an offer", team: 2, ...part });

function welcome(team: number, turn = 7, choice: number | null = null, sequence = 0): PhoneWelcomed {
  const you = { token: `1.abc.${team}:sig`, team, turn: choice && turn, choice, sequence, blind: null, voter_code: "BCDFGH", side_changes: [] };
  return { type: "phone.welcomed", now_at: Date.now(), seq: 5, you, state: at(turn) };
}

const casts = () => FakeWebSocket.last.sent.filter(({ type }) => type === "ballot.cast").map(({ turn, choice, sequence }) => [turn, choice, sequence]);

afterEach(() => {
  mock.timers.reset();
  storeToken(CODE, null);
});

function startPage(preload: PagePreload | null = page()) {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
  return new PhoneSeat(CODE, null, null, preload);
}

test("a new phone with a preloaded seat shows its team and turn before connecting", () => {
  const seated = startPage();
  assert.deepEqual([seated.voter.get().team, seated.store.get().event?.match?.turn?.id], [2, 7]);
  FakeWebSocket.last.open();
  assert.deepEqual(FakeWebSocket.last.sent.map(({ type, token, offer }) => [type, token, offer]), [["phone.join", null, "an offer"]]);
  seated.leave();
});

test("an early vote waits for the seat and is then cast", () => {
  const seated = startPage();
  seated.cast(3);
  FakeWebSocket.last.open();
  mock.timers.tick(5000);
  assert.deepEqual(casts(), [], "the voter is not known yet");
  assert.deepEqual([seated.voter.get().ballot.choice, seated.voter.get().ballot.status], [3, "sending"]);
  FakeWebSocket.last.deliver(welcome(2));
  mock.timers.tick(300);
  assert.deepEqual(casts(), [[7, 3, 1]]);
  seated.leave();
});

test("an early vote is dropped if the team or the turn differs", () => {
  for (const preload of [welcome(1), welcome(2, 8)]) {
    const seated = startPage();
    seated.cast(3);
    FakeWebSocket.last.open();
    FakeWebSocket.last.deliver(preload);
    mock.timers.tick(5000);
    assert.deepEqual([casts(), seated.voter.get().ballot.choice], [[], null]);
    assert.equal(seated.voter.get().moved, false, "there was no seat before");
    seated.leave();
    storeToken(CODE, null);
    mock.timers.reset();
  }
});

test("a phone with a stored seat returns to it and does not use the offer", () => {
  storeToken(CODE, "1.abc.1:sig", 1);
  const seated = startPage();
  assert.deepEqual([seated.voter.get().team, seated.voter.get().returned], [1, true]);
  seated.cast(6);
  FakeWebSocket.last.open();
  assert.deepEqual([FakeWebSocket.last.sent[0]!.token, FakeWebSocket.last.sent[0]!.offer], ["1.abc.1:sig", null]);
  FakeWebSocket.last.deliver(welcome(1, 7, 2, 3));
  mock.timers.tick(300);
  assert.deepEqual(casts(), [[7, 6, 4]], "newer than what the box holds");
  seated.leave();
});

test("a page without a seat offer has no team until the welcome", () => {
  for (const preload of [null, page({ offer: null, team: 0 })]) {
    const seated = startPage(preload);
    assert.deepEqual([seated.voter.get().team, seated.store.get().event], [null, null]);
    seated.leave();
    mock.timers.reset();
  }
});

const refuse = () => {
  FakeWebSocket.last.open();
  FakeWebSocket.last.deliver({ type: "error", code: "joining_locked", text: "", event: at(7) });
};

test("a phone that is not admitted has no team", () => {
  const seated = startPage();
  refuse();
  assert.deepEqual([seated.voter.get().team, seated.voter.get().blockedBy?.code], [null, "joining_locked"]);
  seated.leave();
});

/** A phone that has lost its seat and connects again. */
function loseSeat(closeCode: number): PhoneSeat {
  storeToken(CODE, "1.abc.1:sig", 1);
  const seated = startPage();
  FakeWebSocket.last.open();
  FakeWebSocket.last.deliver(welcome(1));
  if (closeCode !== CloseCode.BAD_TOKEN) storeToken(CODE, null);
  FakeWebSocket.last.onclose?.({ code: closeCode });
  mock.timers.tick(1000);
  assert.equal(readToken(CODE), null);
  return seated;
}

for (const [what, closeCode] of [
  ["whose seat is unknown", CloseCode.BAD_TOKEN],
  ["without its token", 1006],
] as const)
  test(`a phone ${what} has no team if it is refused`, () => {
    const seated = loseSeat(closeCode);
    refuse();
    assert.deepEqual([seated.voter.get().team, seated.voter.get().blockedBy?.code], [null, "joining_locked"]);
    seated.leave();
  });

test("a phone whose seat is unknown joins as a new voter", () => {
  const seated = loseSeat(CloseCode.BAD_TOKEN);
  FakeWebSocket.last.open();
  FakeWebSocket.last.deliver(welcome(2));
  assert.deepEqual([seated.voter.get().team, seated.voter.get().moved], [2, false]);
  seated.leave();
});

test("a refused phone is connected without a seat, and notices a dead connection", () => {
  const seated = startPage();
  const state = () => seated.store.get().connection.state;
  FakeWebSocket.last.open();
  FakeWebSocket.last.onclose?.({ code: CloseCode.CROWDED });
  assert.equal(state(), "crowded");
  mock.timers.tick(30_000);
  for (let connection = 0; connection < 2; connection++) {
    refuse();
    assert.deepEqual([state(), seated.socket.isJoined], ["joined", false]);
    const { last } = FakeWebSocket;
    for (let ms = 0; ms < 4000; ms += 500) mock.timers.tick(500);
    assert.deepEqual([last.sent.at(-1)!.type, state(), FakeWebSocket.last === last], ["clock.ask", "lost", true]);
    for (let ms = 0; ms < 6000; ms += 500) mock.timers.tick(500);
    assert.notEqual(FakeWebSocket.last, last);
  }
  seated.leave();
});

test("a phone moved to the other team says so and has no vote until the next one", () => {
  const seated = startPage();
  FakeWebSocket.last.open();
  FakeWebSocket.last.deliver(welcome(2));
  seated.cast(3);
  mock.timers.tick(300);
  FakeWebSocket.last.deliver(welcome(1));
  mock.timers.tick(5000);
  const { team, moved, ballot, voterCode } = seated.voter.get();
  assert.deepEqual([team, moved, ballot.choice, voterCode], [1, true, null, "BCDFGH"]);
  assert.deepEqual(casts().filter(([, , sequence]) => sequence === 1).length, 1, "the old team's vote is sent only once");
  assert.equal(readToken(CODE), "1.abc.1:sig");
  seated.cast(5);
  assert.equal(seated.voter.get().moved, false);
  seated.leave();
});

test("a moved phone that is reloaded shows its new team and keeps an early vote", () => {
  const { you, ...message } = welcome(2);
  const moved = { ...message, you: { ...you, token: "1.abc.1:sig" } };
  let seated = startPage();
  FakeWebSocket.last.open();
  FakeWebSocket.last.deliver(moved);
  seated.leave();
  mock.timers.reset();
  seated = startPage(page({ team: 1 }));
  seated.cast(5);
  FakeWebSocket.last.open();
  FakeWebSocket.last.deliver(moved);
  const { team, ballot } = seated.voter.get();
  assert.deepEqual([team, seated.voter.get().moved, ballot.choice], [2, false, 5]);
  seated.leave();
});

test("a phone moved back between two connections shows its counted vote", () => {
  storeToken(CODE, "1.abc.1:sig", 2);
  const seated = startPage();
  FakeWebSocket.last.open();
  FakeWebSocket.last.deliver(welcome(1, 7, 3, 1));
  const { team, ballot } = seated.voter.get();
  assert.deepEqual([team, ballot.choice, ballot.status], [1, 3, "counted"]);
  seated.leave();
});
