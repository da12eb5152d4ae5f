import type { CheerSend } from "../../protocol";

const SEND_GAP_MS = 400;
const MAX_PRESSES = 20;

/** Cheers: counts taps on the shape between matches, and sends a few times a second how many there were. */
export class Cheering {
  /** Taps without a pause. They raise the water on this page. */
  pressed = 0;
  private unsent = 0;
  private timer = 0;

  constructor(
    private send: (message: CheerSend) => void,
    private changed: () => void,
  ) {}

  press(): void {
    this.pressed++;
    this.unsent = Math.min(MAX_PRESSES, this.unsent + 1);
    if (!this.timer) this.post();
    this.changed();
  }

  private post(): void {
    const presses = this.unsent;
    this.unsent = 0;
    if (presses) this.send({ type: "cheer.send", presses });
    else this.pressed = 0;
    this.timer = presses && window.setTimeout(() => this.post(), SEND_GAP_MS);
    this.changed();
  }
}
