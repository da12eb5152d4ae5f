import { Store } from "../live/store";
import type { ActionAsk, ActionDone, ActionRefused } from "../protocol";
import type { Offer } from "./offers";
import { doneText } from "./words";

const SURE_WITHIN_MS = 3000;
const ANSWER_WITHIN_MS = 6000;
const HELD_MS = 500;
const SAID_FOR_MS = 8000;
const TOLD_FOR_MS = 60_000;

export interface Said {
  text: string;
  trouble: boolean;
}

/**
 * `waiting`: presses without an answer. `armed`: the button that waits for its second press. `done`: what was done
 * last, and `tookMs` how long the last answer took.
 */
export interface Desktop {
  waiting: ReadonlySet<string>;
  armed: string;
  said: Said | null;
  done: Offer | null;
  tookMs: number | null;
}

interface Asked {
  offer: Offer;
  at: number;
  timer: number;
  answered: boolean;
}

/** A button's name; one that is meant for another turn is another button. */
export function nameOf({ action, seconds, turn, phones, part, team, sign }: Offer): string {
  return [action, seconds, turn, phones, part, team, sign].map((one) => one ?? "").join(" ");
}

/** Takes presses: each goes out once, is answered in words, and a grave one needs a second press. */
export class Desk {
  readonly store = new Store<Desktop>({ waiting: new Set(), armed: "", said: null, done: null, tookMs: null });
  private asked = new Map<number, Asked>();
  private lastId = 0;
  private disarm = 0;
  private silence = 0;
  private stale = 0;

  constructor(private send: (ask: ActionAsk) => boolean) {}

  press(offer: Offer): void {
    const { armed, waiting } = this.store.get();
    if (!offer.enabled || waiting.has(nameOf(offer))) return;
    if (offer.sure && armed !== nameOf(offer)) this.arm(offer);
    else this.ask(offer);
  }

  hear(answer: ActionDone | ActionRefused): void {
    const asked = this.asked.get(answer.id);
    if (!asked) return;
    const refused = answer.type === "action.refused";
    this.time(asked.at);
    if (!refused) this.store.set({ done: asked.offer });
    this.settle(answer.id, refused ? { text: answer.text, trouble: true } : { text: doneText(asked.offer), trouble: false });
  }

  /** The connection broke: what was asked may have been done or not. */
  lose(): void {
    const text = "The connection broke. See what happened before you press again.";
    for (const id of [...this.asked.keys()]) this.settle(id, { text, trouble: true });
  }

  /** How long an answer took says something for a while. */
  private time(askedAt: number): void {
    clearTimeout(this.stale);
    this.store.set({ tookMs: Date.now() - askedAt });
    this.stale = window.setTimeout(() => this.store.set({ tookMs: null }), TOLD_FOR_MS);
  }

  private arm(offer: Offer): void {
    clearTimeout(this.disarm);
    this.store.set({ armed: nameOf(offer), said: null });
    this.disarm = window.setTimeout(() => this.store.set({ armed: "" }), SURE_WITHIN_MS);
  }

  private ask(offer: Offer): void {
    const id = ++this.lastId;
    if (!this.send(askOf(id, offer))) {
      this.store.set({ armed: "" });
      this.say({ text: "No connection: nothing was sent.", trouble: true });
      return;
    }
    const unanswered = { text: "No answer yet. See what happened before you press again.", trouble: true };
    const timer = window.setTimeout(() => this.settle(id, unanswered), ANSWER_WITHIN_MS);
    this.asked.set(id, { offer, at: Date.now(), timer, answered: false });
    this.store.set({ armed: "", said: null, waiting: this.waiting() });
  }

  /** The button stays held for a moment, so that a double press is one press. */
  private settle(id: number, said: Said): void {
    const asked = this.asked.get(id);
    if (!asked || asked.answered) return;
    asked.answered = true;
    clearTimeout(asked.timer);
    this.say(said);
    const release = () => {
      this.asked.delete(id);
      this.store.set({ waiting: this.waiting() });
    };
    window.setTimeout(release, Math.max(0, asked.at + HELD_MS - Date.now()));
  }

  private say(said: Said): void {
    clearTimeout(this.silence);
    this.store.set({ said });
    if (!said.trouble) this.silence = window.setTimeout(() => this.store.set({ said: null }), SAID_FOR_MS);
  }

  private waiting(): ReadonlySet<string> {
    return new Set([...this.asked.values()].map(({ offer }) => nameOf(offer)));
  }
}

function askOf(id: number, { action, turn, seconds, phones, text, part, team, sign, hands }: Offer): ActionAsk {
  const about = { seconds: seconds ?? null, phones: phones ?? null, text: text ?? null, part: part ?? null };
  return { type: "action.ask", id, action, turn, ...about, team: team ?? null, sign: sign ?? null, hands: hands ?? null };
}
