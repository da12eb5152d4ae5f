import type { ClockAsk, ClockTold, ConsoleWelcomed, DisplayWelcomed, PhoneWelcomed, RetryTold } from "../protocol";
import type { ServerClock } from "./clock";
import { nextBeatMs, retryAfter, waitOnceAwake } from "./retry";

/** A hall that comes in at once takes some seconds: giving up sooner would only make it longer. */
const WELCOME_WITHIN_MS = 15_000;
const ANSWER_WITHIN_MS = 6000;
const AWAKE_WITHIN_MS = 3000;
const FIRST_BEAT_WITHIN_MS = 2000;
const SILENCE_MS = 4000;
/** A gateway knows within a second that the ballot box's clock was set. */
const GATEWAY_KNOWS_MS = 1500;
const NO_WORD = 1006;

/**
 * `lost` and `crowded` come back by themselves; `crowded`: the door lets people in by turns.
 * `away`: closed for good by the server, with the close code that says why.
 */
export type Connection =
  | { state: "connecting" | "joined" | "lost" | "crowded" }
  | { state: "away"; code: number };

type Welcome = PhoneWelcomed | DisplayWelcomed | ConsoleWelcomed;

export interface SocketPlan<Out, In> {
  path: string;
  clock: ServerClock;
  /** The first message of every connection. */
  join: () => Out;
  heard: (message: In) => void;
  changed: (connection: Connection) => void;
}

/** A socket that comes back: joins again after every loss, keeps the clock, obeys close codes. */
export class LiveSocket<Out, In extends { type: string }> {
  private socket: WebSocket | null = null;
  private attempt = 0;
  private withinMs: number | null = null;
  private appointment = { at: 0, told: false };
  private retry = 0;
  private beat = 0;
  private dead = 0;
  private heardAt = 0;

  constructor(private plan: SocketPlan<Out, In>) {
    addEventListener("online", () => this.wake());
    addEventListener("offline", () => this.prove(AWAKE_WITHIN_MS));
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.wake();
    });
  }

  /** Opens, or opens anew. */
  open(): void {
    this.drop();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.plan.path}`);
    this.socket = socket;
    this.expect(WELCOME_WITHIN_MS);
    socket.onopen = () => this.send(this.plan.join());
    socket.onmessage = (event) => this.receive(String(event.data));
    socket.onclose = (event) => this.closed(event.code);
  }

  /** Says whether it went out; what is not sent is the caller's to keep. */
  send(message: Out | ClockAsk): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Something was not answered. If nothing else came either, find out whether the server is there. */
  doubt(): void {
    if (!this.dead && Date.now() - this.heardAt > SILENCE_MS) this.prove(ANSWER_WITHIN_MS);
  }

  close(): void {
    this.drop();
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as In | ClockTold | RetryTold | Welcome;
    clearTimeout(this.dead);
    this.dead = 0;
    this.heardAt = Date.now();
    if (message.type === "clock.told") {
      const told = message as ClockTold;
      this.plan.clock.hear(told.sent, told.now_at);
    } else if (message.type === "retry.told") {
      this.withinMs = (message as RetryTold).within_ms;
    } else {
      if (message.type.endsWith(".welcomed")) this.welcomed(message as Welcome);
      else if ("at" in message) this.compare(message.at as number);
      this.plan.heard(message as In);
    }
  }

  private welcomed(welcome: Welcome): void {
    this.attempt = 0;
    this.plan.clock.forget();
    this.plan.clock.estimate(welcome.now_at);
    this.plan.changed({ state: "joined" });
    this.beatIn(Math.random() * FIRST_BEAT_WITHIN_MS);
  }

  /** A change is told as soon as it is made, at this time by the server's clock. */
  private compare(at: number): void {
    const now = Date.now();
    if (this.plan.clock.wasSet(at, now, now)) {
      this.beatIn(GATEWAY_KNOWS_MS + Math.random() * FIRST_BEAT_WITHIN_MS);
    }
  }

  private beatIn(ms: number): void {
    clearTimeout(this.beat);
    this.beat = window.setTimeout(() => {
      this.prove(ANSWER_WITHIN_MS);
      this.beatIn(nextBeatMs(Math.random));
    }, ms);
  }

  /** Has the server answer; silence is a loss. */
  private prove(withinMs: number): void {
    if (this.send({ type: "clock.ask", sent: Date.now() })) this.expect(withinMs);
  }

  private expect(withinMs: number): void {
    clearTimeout(this.dead);
    this.dead = window.setTimeout(() => this.closed(NO_WORD), withinMs);
  }

  private closed(code: number): void {
    const retry = retryAfter({ code, attempt: this.attempt++, withinMs: this.withinMs }, Math.random);
    this.drop();
    if (retry.state !== "away") this.comeBack(retry.waitMs, retry.told);
    this.plan.changed(retry.state === "away" ? retry : { state: retry.state });
  }

  private comeBack(inMs: number, told: boolean): void {
    clearTimeout(this.retry);
    this.appointment = { at: Date.now() + inMs, told };
    this.retry = window.setTimeout(() => this.open(), inMs);
  }

  /** The phone was unlocked or found a network: a dead socket comes back, a live one proves it lives. */
  private wake(): void {
    const { at, told } = this.appointment;
    if (this.retry) this.comeBack(waitOnceAwake(at - Date.now(), told, Math.random), told);
    else this.prove(AWAKE_WITHIN_MS);
  }

  private drop(): void {
    clearTimeout(this.retry);
    clearTimeout(this.dead);
    clearTimeout(this.beat);
    this.retry = this.dead = 0;
    this.withinMs = null;
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
