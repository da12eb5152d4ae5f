/** The browser's side of a simulated network, for tests. Importing this module replaces the browser's WebSocket. */
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

const stub = { addEventListener: () => undefined, visibilityState: "visible" };
Object.assign(globalThis, { window: globalThis, document: stub, addEventListener: stub.addEventListener, WebSocket: FakeWebSocket });
Object.assign(globalThis, { location: { protocol: "http:", host: "hall" } });
