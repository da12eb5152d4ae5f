import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { FakeWebSocket } from "../../live/connection/fakeWebSocket";
import { Store } from "../../live/state/store";
import { CloseCode } from "../../protocol";
import type { PhoneScreen } from "../phoneScreen";
import { discussionButton } from "../play/discussion";
import { closedScreen } from "./entryScreens";
import type { PhoneView } from "./phoneView";
import { awaitReturn, setScreen } from "./removal";

const EVERY_MS = 6000;
const ANSWER_WITHIN_MS = 10_000;

test("a removed phone asks again if its request gets no answer", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const store = new Store({ connection: { state: "away", code: CloseCode.KICKED } });
  setScreen({ address: { code: "HALL" }, seated: { store } } as unknown as PhoneScreen);
  awaitReturn(CloseCode.KICKED);
  mock.timers.tick(EVERY_MS);
  const first = FakeWebSocket.last;
  mock.timers.tick(ANSWER_WITHIN_MS);
  mock.timers.tick(EVERY_MS);
  assert.notEqual(FakeWebSocket.last, first);
  mock.timers.reset();
});

test("a closed seat leaves the discussion, and its next one listens again", () => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const draw = () => discussionButton({ event: { code: "HALL", team_discussion: true }, team: 1, match: null } as PhoneView);
  draw();
  const first = FakeWebSocket.last;
  draw();
  assert.equal(FakeWebSocket.last, first, "it listens already");
  closedScreen(CloseCode.NOT_ALLOWED);
  assert.equal(first.readyState, 3);
  draw();
  assert.notEqual(FakeWebSocket.last, first);
  mock.timers.reset();
});
