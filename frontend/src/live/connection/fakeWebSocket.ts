import "./fakeStopwatch";

/** The browser's side of a simulated network, for tests. Importing this module replaces the browser's WebSocket and events. */
export class FakeWebSocket {
  static readonly OPEN = 1;
  static last: FakeWebSocket;
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  sent: { type: string; [field: string]: unknown }[] = [];

  constructor() {
    FakeWebSocket.last = this;
  }

  send(frame: string): void {
    this.sent.push(JSON.parse(frame) as { type: string });
  }

  close(): void {
    this.readyState = 3;
  }

  open(): void {
    this.readyState = FakeWebSocket.OPEN;
    this.onopen?.();
  }

  /** Deliver a message, also to a socket that has been replaced. */
  deliver(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

/** The page's window and document. */
export const page = new EventTarget();
Object.assign(globalThis, { window: globalThis, document: page, addEventListener: page.addEventListener.bind(page), WebSocket: FakeWebSocket });
Object.assign(globalThis, { location: { origin: "http://hall" } });
