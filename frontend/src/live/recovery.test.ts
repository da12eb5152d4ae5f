import assert from "node:assert/strict";
import test, { mock } from "node:test";
import fc from "fast-check";
import { CloseCode, type EventState, type PhoneMessage, type ToPhone } from "../protocol";
import { connect } from "./connect";
import { NOTHING_YET, reduce, type Live } from "./event";

/**
 * Snapshot + changes = a fresh snapshot: whatever of an event's frames is lost, repeated or late, and wherever
 * the connection ends, a client shows in the end what one shows that has just come.
 */

let drawn = 0;

/** No two states are alike, also where a restored server tells the same numbers again. */
const anew = () => ({ name: `state ${(drawn += 1)}` }) as EventState;

/** A server that keeps what it told. Restored from a backup it is where it was, and goes on otherwise. */
class Server {
  told: EventState[] = [anew()];

  get seq(): number {
    return this.told.length - 1;
  }

  get state(): EventState {
    return this.told[this.seq]!;
  }

  change(): object {
    this.told = [...this.told, anew()];
    return this.again(this.seq);
  }

  again(seq: number): object {
    return { type: "event.edited", seq, at: Date.now(), state: this.told[seq] };
  }

  goBack(to: number): void {
    this.told = this.told.slice(0, to + 1);
  }

  welcome(): object {
    return { type: "phone.welcomed", now_at: Date.now(), seq: this.seq, you: {}, state: this.state };
  }
}

const showsWhatAFreshOneShows = (live: Live, server: Server) => {
  const fresh = { ...NOTHING_YET, ...reduce(NOTHING_YET, server.welcome() as never) };
  assert.deepEqual({ event: live.event, seq: live.seq }, { event: fresh.event, seq: fresh.seq });
};

test("of all changes since the last welcome the newest is shown, whatever came twice, late or never", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("change", "lost", "again", "again", "welcome", "back"), fc.nat(30)), { maxLength: 40, size: "max" });
  fc.assert(
    fc.property(steps, (happened) => {
      const server = new Server();
      let live: Live = NOTHING_YET;
      let newest = -1;
      const hear = (message: object) => (live = { ...live, ...reduce(live, message as never) });
      const welcome = () => {
        newest = server.seq;
        hear(server.welcome());
      };
      welcome();
      for (const [step, number] of happened) {
        if (step === "change") {
          hear(server.change());
          newest = server.seq;
        } else if (step === "lost") server.change();
        else if (step === "again") {
          const seq = number % (server.seq + 1);
          hear(server.again(seq));
          newest = Math.max(newest, seq);
        } else {
          if (step === "back") server.goBack(number % (server.seq + 1));
          welcome(); // a server that was restored sends everybody away first
        }
        assert.equal(live.seq, newest);
        assert.equal(live.event?.name, server.told[newest]?.name);
      }
      hear(server.change());
      showsWhatAFreshOneShows(live, server);
      server.goBack(0);
      welcome();
      showsWhatAFreshOneShows(live, server);
    }),
    { numRuns: 500 },
  );
});

/** The browser's side of a network that a test holds in its hands. */
class Wire {
  static readonly OPEN = 1;
  static all: Wire[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  sent: string[] = [];

  constructor() {
    Wire.all.push(this);
  }

  send(frame: string): void {
    this.sent.push(frame);
  }

  close(): void {
    this.readyState = 3;
  }

  /** Also to one whose owner has another by now. */
  carry(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

function standIn(): void {
  const deaf = { addEventListener: () => undefined, visibilityState: "visible" };
  Object.assign(globalThis, { window: globalThis, document: deaf, addEventListener: deaf.addEventListener, WebSocket: Wire });
  Object.assign(globalThis, { location: { protocol: "http:", host: "hall" } });
}

/** A hall with one client, a server, and a network that does what it likes with frames. */
class Hall {
  server = new Server();
  underway: { wire: Wire; message: object }[] = [];
  link = connect<PhoneMessage, ToPhone>("/ws/phone", () => ({ type: "phone.join", code: "HALL", token: null, team: null, key: null }));

  constructor() {
    Wire.all = [];
    this.link.socket.open();
    this.settle();
  }

  get wire(): Wire {
    return Wire.all[Wire.all.length - 1]!;
  }

  /** Whatever the client asked for since is answered. */
  settle(): void {
    const wire = this.wire;
    if (wire.readyState === 0) {
      wire.readyState = Wire.OPEN;
      wire.onopen?.();
    }
    for (const frame of wire.sent.splice(0)) {
      const message = JSON.parse(frame) as { type: string; sent: number };
      if (message.type === "phone.join") wire.carry(this.server.welcome());
      else wire.carry({ type: "clock.told", sent: message.sent, now_at: Date.now() });
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
    else if (step === "arrives") message?.wire.carry(message.message);
    else if (step === "lost" && message) this.underway.splice(this.underway.indexOf(message), 1);
    else if (step === "time") this.pass(number * 300);
    else if (step === "cut") this.cut(1006);
    else if (step === "back") {
      this.server.goBack(number % (this.server.seq + 1));
      this.cut(CloseCode.RESTARTING);
    }
  }
}

test("wherever a connection ends, the next one's welcome counts, and nothing late of the one before", () => {
  const step = fc.tuple(fc.constantFrom("change", "change", "arrives", "arrives", "lost", "time", "cut", "back"), fc.nat(40));
  standIn();
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_800_000_000_000 });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (happened) => {
      const hall = new Hall();
      for (const [what, number] of happened) hall.do(what, number);
      hall.pass(60_000);
      if (hall.link.store.get().seq !== hall.server.seq) hall.wire.carry(hall.server.change());
      for (const { wire, message } of hall.underway) if (wire !== hall.wire) wire.carry(message);
      showsWhatAFreshOneShows(hall.link.store.get(), hall.server);
      assert.equal(hall.link.store.get().connection.state, "joined");
      hall.link.socket.close();
    }),
    { numRuns: 300 },
  );
  mock.timers.reset();
});
