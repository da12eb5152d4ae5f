import assert from "node:assert/strict";
import test, { mock } from "node:test";
import fc from "fast-check";
import { CloseCode, type EventState, type PhoneMessage, type ToPhone } from "../../protocol";
import { connect, INITIAL_STATE, reduce, type LiveState } from "./connect";
import { FakeWebSocket } from "./fakeWebSocket";

/**
 * Snapshot + changes = a fresh snapshot: a client finally shows the same state as a client that has just joined,
 * whichever frames are lost, repeated or late, and wherever the connection ends.
 */

let stateCount = 0;

/** Every state is different, even if a restored server reuses sequence numbers. */
const newState = () => ({ name: `state ${(stateCount += 1)}` }) as EventState;

/** A server that stores all its states. After a restore it continues from an earlier one. */
class Server {
  states: EventState[] = [newState()];

  get seq(): number {
    return this.states.length - 1;
  }

  get state(): EventState {
    return this.states[this.seq]!;
  }

  change(): object {
    this.states = [...this.states, newState()];
    return this.again(this.seq);
  }

  again(seq: number): object {
    return { type: "event.edited", seq, at: Date.now(), state: this.states[seq] };
  }

  restoreTo(to: number): void {
    this.states = this.states.slice(0, to + 1);
  }

  welcome(): object {
    return { type: "phone.welcomed", now_at: Date.now(), seq: this.seq, you: {}, state: this.state };
  }
}

const assertSameAsFreshClient = (live: LiveState, server: Server) => {
  const fresh = { ...INITIAL_STATE, ...reduce(INITIAL_STATE, server.welcome() as never) };
  assert.deepEqual({ event: live.event, seq: live.seq }, { event: fresh.event, seq: fresh.seq });
};

test("the newest change since the last welcome is shown despite repeated, late or lost ones", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("change", "lost", "again", "again", "welcome", "back"), fc.nat(30)), { maxLength: 40, size: "max" });
  fc.assert(
    fc.property(steps, (happened) => {
      const server = new Server();
      let live: LiveState = INITIAL_STATE;
      let newest = -1;
      const receive = (message: object) => (live = { ...live, ...reduce(live, message as never) });
      const welcome = () => {
        newest = server.seq;
        receive(server.welcome());
      };
      welcome();
      for (const [step, number] of happened) {
        if (step === "change") {
          receive(server.change());
          newest = server.seq;
        } else if (step === "lost") server.change();
        else if (step === "again") {
          const seq = number % (server.seq + 1);
          receive(server.again(seq));
          newest = Math.max(newest, seq);
        } else {
          if (step === "back") server.restoreTo(number % (server.seq + 1));
          welcome(); // a restored server disconnects all clients first
        }
        assert.equal(live.seq, newest);
        assert.equal(live.event?.name, server.states[newest]?.name);
      }
      receive(server.change());
      assertSameAsFreshClient(live, server);
      server.restoreTo(0);
      welcome();
      assertSameAsFreshClient(live, server);
    }),
    { numRuns: 500 },
  );
});

/** One client, a server, and an unreliable network between them. */
class FlakyNetwork {
  server = new Server();
  underway: { wire: FakeWebSocket; message: object }[] = [];
  link = connect<PhoneMessage, ToPhone>("/ws/phone", () => ({ type: "phone.join", code: "HALL", token: null, team: null, key: null }));

  constructor() {
    this.link.socket.open();
    this.settle();
  }

  get wire(): FakeWebSocket {
    return FakeWebSocket.last;
  }

  /** Answer all requests of the client so far. */
  settle(): void {
    const wire = this.wire;
    if (wire.readyState === 0) wire.open();
    for (const message of wire.sent.splice(0)) {
      if (message.type === "phone.join") wire.deliver(this.server.welcome());
      else wire.deliver({ type: "clock.synced", sent: message.sent, now_at: Date.now() });
    }
  }

  pass(ms: number): void {
    for (let left = ms; left > 0; left -= 500) {
      mock.timers.tick(Math.min(500, left));
      this.settle();
    }
  }

  cut(code: number): void {
    const wire = this.wire;
    wire.readyState = 3;
    wire.onclose?.({ code });
  }

  do(step: string, number: number): void {
    const message = this.underway[number % (this.underway.length || 1)];
    if (step === "change") this.underway.push({ wire: this.wire, message: this.server.change() });
    else if (step === "arrives") message?.wire.deliver(message.message);
    else if (step === "lost" && message) this.underway.splice(this.underway.indexOf(message), 1);
    else if (step === "time") this.pass(number * 300);
    else if (step === "cut") this.cut(1006);
    else if (step === "back") {
      this.server.restoreTo(number % (this.server.seq + 1));
      this.cut(CloseCode.RESTARTING);
    }
  }
}

test("after any disconnection the next welcome counts, and late frames are ignored", () => {
  const step = fc.tuple(fc.constantFrom("change", "change", "arrives", "arrives", "lost", "time", "cut", "back"), fc.nat(40));
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_800_000_000_000 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (happened) => {
      const network = new FlakyNetwork();
      for (const [what, number] of happened) network.do(what, number);
      network.pass(60_000);
      if (network.link.store.get().seq !== network.server.seq) network.wire.deliver(network.server.change());
      for (const { wire, message } of network.underway) if (wire !== network.wire) wire.deliver(message);
      assertSameAsFreshClient(network.link.store.get(), network.server);
      assert.equal(network.link.store.get().connection.state, "joined");
      network.link.socket.close();
    }),
    { numRuns: 300 },
  );
  mock.timers.reset();
});
