import type { ClockAsk, ClockTold, ConsoleWelcomed, DisplayWelcomed, PhoneWelcomed } from "../protocol";
import type { ServerClock } from "./clock";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const HEARTBEAT_MS = 10_000;
const ANSWER_WITHIN_MS = 6000;
const STAY_AWAY = 4500;

/** `away`: closed for good by the server, with the close code that says why. */
export type Connection =
  | { state: "connecting" }
  | { state: "joined" }
  | { state: "lost" }
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

export function backOff(attempt: number): number {
  return Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
}

/** A socket that comes back: joins again after every loss, keeps the clock, obeys close codes. */
export class LiveSocket<Out, In extends { type: string }> {
  private socket: WebSocket | null = null;
  private attempt = 0;
  private retry = 0;
  private beat = 0;
  private dead = 0;

  constructor(private plan: SocketPlan<Out, In>) {
    addEventListener("online", () => this.wake());
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
    this.dead = window.setTimeout(() => this.lost(), ANSWER_WITHIN_MS);
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

  close(): void {
    this.drop();
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as In | ClockTold | Welcome;
    clearTimeout(this.dead);
    if (message.type === "clock.told") {
      const told = message as ClockTold;
      this.plan.clock.hear(told.sent, told.now_at);
      return;
    }
    if (message.type.endsWith(".welcomed")) this.welcomed(message as Welcome);
    this.plan.heard(message as In);
  }

  private welcomed(welcome: Welcome): void {
    this.attempt = 0;
    this.plan.clock.forget();
    this.plan.clock.estimate(welcome.now_at);
    this.plan.changed({ state: "joined" });
    clearInterval(this.beat);
    this.beat = window.setInterval(() => this.ask(), HEARTBEAT_MS);
    this.ask();
  }

  private ask(): void {
    this.send({ type: "clock.ask", sent: Date.now() });
    clearTimeout(this.dead);
    this.dead = window.setTimeout(() => this.lost(), ANSWER_WITHIN_MS);
  }

  private closed(code: number): void {
    if (code < STAY_AWAY || code > 4999) return this.lost();
    this.drop();
    this.plan.changed({ state: "away", code });
  }

  private lost(): void {
    this.drop();
    this.plan.changed({ state: "lost" });
    this.retry = window.setTimeout(() => this.open(), backOff(this.attempt++));
  }

  /** The phone was unlocked or found a network: a dead socket comes back now, a live one proves it lives. */
  private wake(): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.ask();
    else if (this.retry) this.open();
  }

  private drop(): void {
    clearTimeout(this.retry);
    clearTimeout(this.dead);
    clearInterval(this.beat);
    this.retry = 0;
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
