import type { Changes, ClockAsk, ClockSynced, ConsoleWelcomed, DisplayWelcomed, EventState, PhoneWelcomed, RetryAfter, TurnoutCounted } from "../../protocol";
import { Store } from "../state/store";
import { elapsedMs, ServerClock } from "./clock";
import { nextHeartbeatMs, retryAfter, waitAfterWake } from "./reconnect";

/** Admitting a whole audience takes some seconds; giving up sooner would only prolong it. */
const WELCOME_WITHIN_MS = 13_000;
/** A request without an answer for so long is shown as a lost connection. It counts as lost after a further time. */
const SILENT_AFTER_MS = 2000;
const ANSWER_WITHIN_MS = 4000;
const ANSWER_ON_WAKE_MS = 1000;
const FIRST_HEARTBEAT_WITHIN_MS = 2000;
const SILENCE_MS = 4000;
const QUIET_MS = 20_000;
/** A gateway notices a change of the ballot box's clock within a second. */
const GATEWAY_CLOCK_LAG_MS = 1500;
const ABNORMAL_CLOSURE = 1006;

/**
 * `lost` and `crowded` reconnect automatically. `lost`: closed, or the device is offline, or a request wasn't answered for
 * a moment. `crowded`: the gateway limits its admission rate. `away`: closed for good by the server, with the close code
 * that says why.
 */
export type Connection =
  | { state: "connecting" | "joined" | "lost" | "crowded" }
  | { state: "away"; code: number };

type Welcome = PhoneWelcomed | DisplayWelcomed | ConsoleWelcomed;

interface SocketOptions<Out, In> {
  path: string;
  clock: ServerClock;
  /** The first message on every connection. */
  join: () => Out;
  onMessage: (message: In) => void;
  /** Also called with `joined` for every message after the join was answered; the message may correct the clock. */
  onStateChange: (connection: Connection) => void;
}

/** A WebSocket that reconnects: it joins again after every loss, synchronizes the clock and obeys close codes. */
class LiveSocket<Out, In extends { type: string }> {
  private socket: WebSocket | null = null;
  /** Whether the server has welcomed this connection, also while it does not answer. */
  isJoined = false;
  private attempt = 0;
  private withinMs: number | null = null;
  private nextAttempt = { at: 0, fromServer: false };
  private retry = 0;
  /** 0 until the server has answered the join, also with a refusal: the connection stays open. */
  private heartbeat = 0;
  private deadTimer = 0;
  private receivedAt = 0;

  constructor(private options: SocketOptions<Out, In>) {
    addEventListener("online", () => this.wake());
    addEventListener("offline", () => {
      this.showSilence();
      this.probe(ANSWER_ON_WAKE_MS);
    });
    document.addEventListener("visibilitychange", () => document.hidden || this.wake());
  }

  /** Connects or reconnects. */
  open(): void {
    this.close();
    const socket = new WebSocket(location.origin.replace("http", "ws") + this.options.path);
    this.socket = socket;
    this.expectMessage(WELCOME_WITHIN_MS);
    socket.onopen = () => this.send(this.options.join());
    socket.onmessage = (event) => this.receive(event.data as string);
    socket.onclose = (event) => this.closed(event.code);
  }

  /** Returns whether the message was sent. The caller keeps unsent messages. */
  send(message: Out | ClockAsk): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Call this when an answer is overdue. If no other message arrived either, checks whether the server is alive. */
  probeIfSilent(): void {
    if (!this.deadTimer && elapsedMs() - this.receivedAt > SILENCE_MS) this.probe();
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as In | ClockSynced | RetryAfter | Welcome;
    clearTimeout(this.deadTimer);
    this.deadTimer = 0;
    this.receivedAt = elapsedMs();
    if (message.type.endsWith(".welcomed")) this.welcomed(message as Welcome);
    if (message.type === "clock.synced") {
      const { sent, now_at } = message as ClockSynced;
      this.options.clock.addSample(sent, now_at);
    } else if (message.type === "retry.after") {
      this.withinMs = (message as RetryAfter).within_ms;
    } else {
      if (!this.heartbeat) this.answered();
      if ("at" in message) this.checkClock(message.at as number);
      this.options.onMessage(message as In);
    }
    if (this.heartbeat) this.options.onStateChange({ state: "joined" });
  }

  private welcomed(welcome: Welcome): void {
    this.options.clock.estimate(welcome.now_at);
    this.isJoined = true;
    this.answered();
  }

  private answered(): void {
    this.attempt = 0;
    this.heartbeatIn(Math.random() * FIRST_HEARTBEAT_WITHIN_MS);
  }

  /** A change is sent as soon as it is made; `at` is its time by the server's clock. */
  private checkClock(at: number): void {
    const now = elapsedMs();
    const { clock } = this.options;
    if (clock.hasJumped(at, now, now)) {
      clock.freshUntil = 0;
      this.heartbeatIn(GATEWAY_CLOCK_LAG_MS + Math.random() * FIRST_HEARTBEAT_WITHIN_MS);
    }
  }

  /** Asks for the time only if the estimate is old or vague, or if nothing has arrived for a while. */
  private heartbeatIn(ms: number): void {
    clearTimeout(this.heartbeat);
    this.heartbeat = window.setTimeout(() => {
      if (elapsedMs() > Math.min(this.options.clock.freshUntil, this.receivedAt + QUIET_MS)) this.probe();
      this.heartbeatIn(nextHeartbeatMs(Math.random));
    }, ms);
  }

  /** Requests an answer from the server, which also corrects the clock. */
  probe(withinMs = ANSWER_WITHIN_MS): void {
    if (this.send({ type: "clock.ask", sent: elapsedMs() })) this.expectMessage(withinMs);
  }

  /** Silence is shown after a moment. It counts as a lost connection after `withinMs` more. */
  private expectMessage(withinMs: number): void {
    clearTimeout(this.deadTimer);
    this.deadTimer = window.setTimeout(() => {
      this.showSilence();
      this.deadTimer = window.setTimeout(() => this.closed(ABNORMAL_CLOSURE), withinMs);
    }, SILENT_AFTER_MS);
  }

  private showSilence(): void {
    if (this.heartbeat) this.options.onStateChange({ state: "lost" });
  }

  private closed(code: number): void {
    const retry = retryAfter({ code, attempt: this.attempt++, withinMs: this.withinMs }, Math.random);
    this.close();
    if (retry.state !== "away") this.reconnectIn(retry.waitMs, retry.fromServer);
    this.options.onStateChange(retry);
  }

  private reconnectIn(inMs: number, fromServer: boolean): void {
    clearTimeout(this.retry);
    this.nextAttempt = { at: elapsedMs() + inMs, fromServer };
    this.retry = window.setTimeout(() => this.open(), inMs);
  }

  /** The phone was unlocked or found a network: reconnect a dead socket, probe an open one. */
  private wake(): void {
    const { at, fromServer } = this.nextAttempt;
    if (this.retry) this.reconnectIn(waitAfterWake(at - elapsedMs(), fromServer, Math.random), fromServer);
    else this.probe(ANSWER_ON_WAKE_MS);
  }

  /** Closes the connection for good, unless `open` is called. */
  close(): void {
    clearTimeout(this.retry);
    clearTimeout(this.deadTimer);
    clearTimeout(this.heartbeat);
    this.retry = this.deadTimer = this.heartbeat = 0;
    this.isJoined = false;
    this.withinMs = null;
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}

/**
 * What every page knows of an event. `change` is the message type that caused the current `event`; it selects the
 * animation.
 */
export interface LiveState {
  event: EventState | null;
  seq: number;
  change: Changes["type"] | "welcomed" | null;
  turnout: TurnoutCounted | null;
  connection: Connection;
}

export const INITIAL_STATE: LiveState = {
  event: null,
  seq: -1,
  change: null,
  turnout: null,
  connection: { state: "connecting" },
};

interface Message {
  type: string;
  seq?: number;
  state?: EventState;
}

/** The state changed by a message; null if the message is not new. A welcome message always applies. */
export function reduce(live: LiveState, message: Message): Partial<LiveState> | null {
  if (message.type === "turnout.counted") return { turnout: message as TurnoutCounted };
  if (!message.state || message.seq === undefined) return null;
  const welcome = message.type.endsWith(".welcomed");
  if (!welcome && message.seq <= live.seq) return null;
  const change = welcome ? "welcomed" : (message.type as Changes["type"]);
  return { event: message.state, seq: message.seq, change };
}

export interface Link<Out, In extends { type: string }> {
  clock: ServerClock;
  store: Store<LiveState>;
  socket: LiveSocket<Out, In>;
}

/**
 * A socket that fills a store, for every page. `onMessage` receives every message after the store has been updated.
 * Call `socket.open()` to connect.
 */
export function connect<Out, In extends { type: string }>(
  path: string,
  join: () => Out,
  onMessage: (message: In) => void = () => undefined,
): Link<Out, In> {
  const clock = new ServerClock();
  const store = new Store<LiveState>(INITIAL_STATE);
  const socket = new LiveSocket<Out, In>({
    path,
    clock,
    join,
    onMessage: (message) => {
      const part = reduce(store.get(), message);
      if (part) store.set(part);
      onMessage(message);
    },
    onStateChange: (connection) => store.set({ connection }),
  });
  return { clock, store, socket };
}
