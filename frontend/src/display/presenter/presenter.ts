import { t } from "../../live/i18n";
import { connect, type Link } from "../../live/connection/connect";
import { Store } from "../../live/state/useStore";
import type { ConsoleMessage, ToConsole } from "../../protocol";
import type { PresenterAction } from "./presenterActions";

const CONFIRM_WITHIN_MS = 4000;
const MESSAGE_SHOWN_MS = 4000;
const SEND_WITHIN_MS = 5000;
const UNANSWERED = t("No answer yet: check before you press again");

/** `in`: this browser is logged in as an organizer of the event. `out`: it is not, or the event is somebody else's. */
export type Access = "unknown" | "asking" | "in" | "out";

export interface PresenterState {
  access: Access;
  statusText: string;
}

/** Runs the event from the projector's keyboard, over a console socket of its own that connects when needed. */
export class Presenter {
  readonly store = new Store<PresenterState>({ access: "unknown", statusText: "" });
  private link: Link<ConsoleMessage, ToConsole> | null = null;
  private armed = "";
  private waiting: PresenterAction | null = null;
  private lastId = 0;
  private clearTimer = 0;
  private expiry = 0;

  constructor(private code: string) {}

  /** A destructive action needs a second key press while its prompt is shown. */
  press(order: PresenterAction | string): void {
    if (typeof order === "string") return this.say(order);
    const name = JSON.stringify(order);
    if (order.confirm && this.armed !== name) return this.say(order.confirm, CONFIRM_WITHIN_MS, name);
    this.say("");
    this.waiting = order;
    this.ask();
    if (this.waiting) this.expectAnswer(t("The console isn't responding"));
  }

  /** Check whether this browser may control the event. */
  ask(): void {
    const { access } = this.store.get();
    if (access === "in") return this.send();
    if (access === "asking") return;
    this.store.set({ access: "asking" });
    if (this.link) this.link.socket.open();
    else this.join();
  }

  private join(): void {
    const join = () => ({ type: "console.join", code: this.code }) as const;
    this.link = connect<ConsoleMessage, ToConsole>("/ws/console", join, (message) => this.receive(message));
    this.link.store.subscribe(() => this.updateAccess());
    this.link.socket.open();
  }

  private updateAccess(): void {
    const { state } = this.link!.store.get().connection;
    const access = state === "joined" ? "in" : state === "away" ? "out" : "asking";
    if (access === this.store.get().access) return;
    this.store.set({ access });
    if (access === "in") this.send();
    if (access === "out" && this.waiting) this.cancel(t("Log in to the console in this browser first"));
  }

  private send(): void {
    const order = this.waiting;
    if (!order) return;
    const { action, turn, seconds } = order;
    if (!this.link?.socket.send({ type: "action.ask", id: ++this.lastId, action, turn, seconds })) return;
    this.waiting = null;
    this.expectAnswer(UNANSWERED);
  }

  private receive(message: ToConsole): void {
    if (message.type !== "action.done" && message.type !== "action.refused") return;
    if (message.id !== this.lastId) return;
    clearTimeout(this.expiry);
    if (message.type === "action.refused") this.say(message.text);
  }

  /** Drop a command that could not be sent within seconds: it may no longer fit the state of the event. */
  private expectAnswer(otherwise: string): void {
    clearTimeout(this.expiry);
    this.expiry = window.setTimeout(() => this.cancel(otherwise), SEND_WITHIN_MS);
  }

  private cancel(why: string): void {
    clearTimeout(this.expiry);
    this.waiting = null;
    this.say(why);
  }

  private say(statusText: string, forMs = MESSAGE_SHOWN_MS, armed = ""): void {
    clearTimeout(this.clearTimer);
    this.armed = armed;
    this.store.set({ statusText });
    if (statusText) this.clearTimer = window.setTimeout(() => this.say(""), forMs);
  }
}
