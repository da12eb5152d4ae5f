import { elapsedMs } from "../../live/connection/clock";
import { t } from "../../live/i18n";
import { ACTIONS } from "../../actions";
import { Store } from "../../live/state/useStore";
import type { ActionAsk, ActionDone, ActionRefused, ActionUndo } from "../../protocol";
import type { ActionOffer } from "./offers";
import { formatSpan } from "../labels";

const CONFIRM_WITHIN_MS = 3000;
const ANSWER_WITHIN_MS = 6000;
const MIN_BUSY_MS = 500;
const RESULT_SHOWN_MS = 8000;
const TIMING_SHOWN_MS = 60_000;

export interface CommandResult {
  text: string;
  error: boolean;
}

/**
 * `waiting`: commands without an answer. `armed`: the button that waits for its confirming second click. `done`: the
 * result of the last command. `tookMs`: how long its answer took.
 */
export interface CommandState {
  waiting: ReadonlySet<string>;
  armed: string;
  result: CommandResult | null;
  done: ActionOffer | null;
  tookMs: number | null;
}

interface PendingCommand {
  offer: ActionOffer;
  at: number;
  timer: number;
  answered: boolean;
}

/** A button's ID. It includes the turn, so that a button meant for another turn counts as another button. */
export function buttonId({ action, seconds, turn, phones, part, team, voter_code, entry }: ActionOffer): string {
  return [action, seconds, turn, phones, part, team, voter_code, entry].map((field) => field ?? "").join(" ");
}

/** Sends organizer commands: each once, with its result as text. Destructive commands need a second click. */
export class OrganizerCommands {
  readonly store = new Store<CommandState>({ waiting: new Set(), armed: "", result: null, done: null, tookMs: null });
  private pending = new Map<number, PendingCommand>();
  private lastId = 0;
  private disarmTimer = 0;
  private clearTimer = 0;
  private timingTimer = 0;

  constructor(private send: (ask: ActionAsk | ActionUndo) => boolean) {}

  press(offer: ActionOffer): void {
    const { armed, waiting } = this.store.get();
    if (!offer.enabled || offer.changing || waiting.has(buttonId(offer))) return;
    if (offer.confirm && armed !== buttonId(offer)) this.arm(offer);
    else this.ask(offer);
  }

  receive(answer: ActionDone | ActionRefused): void {
    const pending = this.pending.get(answer.id);
    if (!pending) return;
    const refused = answer.type === "action.refused";
    this.showTiming(pending.at);
    if (!refused) this.store.set({ done: pending.offer });
    this.settle(answer.id, refused ? { text: answer.text, error: true } : { text: doneText(pending.offer), error: false });
  }

  /** After a lost connection it is unknown whether the pending commands were executed. */
  connectionLost(): void {
    const text = t("The connection was lost. Check the activity log before you try again.");
    for (const id of [...this.pending.keys()]) this.settle(id, { text, error: true });
  }

  /** Show for a while how long the answer took. */
  private showTiming(askedAt: number): void {
    clearTimeout(this.timingTimer);
    this.store.set({ tookMs: elapsedMs() - askedAt });
    this.timingTimer = window.setTimeout(() => this.store.set({ tookMs: null }), TIMING_SHOWN_MS);
  }

  private arm(offer: ActionOffer): void {
    clearTimeout(this.disarmTimer);
    this.store.set({ armed: buttonId(offer), result: null });
    this.disarmTimer = window.setTimeout(() => this.store.set({ armed: "" }), CONFIRM_WITHIN_MS);
  }

  private ask(offer: ActionOffer): void {
    const id = ++this.lastId;
    if (!this.send(actionMessage(id, offer))) {
      this.store.set({ armed: "" });
      this.showResult({ text: t("No connection. Nothing was sent."), error: true });
      return;
    }
    const unanswered = { text: t("No answer yet. Check the activity log before you try again."), error: true };
    const timer = window.setTimeout(() => this.settle(id, unanswered), ANSWER_WITHIN_MS);
    this.pending.set(id, { offer, at: elapsedMs(), timer, answered: false });
    this.store.set({ armed: "", result: null, waiting: this.waiting() });
  }

  /** Keep the button disabled for a moment, so that a double click sends one command. */
  private settle(id: number, result: CommandResult): void {
    const pending = this.pending.get(id);
    if (!pending || pending.answered) return;
    pending.answered = true;
    clearTimeout(pending.timer);
    this.showResult(result);
    const release = () => {
      this.pending.delete(id);
      this.store.set({ waiting: this.waiting() });
    };
    window.setTimeout(release, Math.max(0, pending.at + MIN_BUSY_MS - elapsedMs()));
  }

  private showResult(result: CommandResult): void {
    clearTimeout(this.clearTimer);
    this.store.set({ result });
    if (!result.error) this.clearTimer = window.setTimeout(() => this.store.set({ result: null }), RESULT_SHOWN_MS);
  }

  private waiting(): ReadonlySet<string> {
    return new Set([...this.pending.values()].map(({ offer }) => buttonId(offer)));
  }
}

function actionMessage(id: number, { action, turn, seconds, phones, text, part, team, voter_code, hands, entry }: ActionOffer): ActionAsk | ActionUndo {
  if (entry) return { type: "action.undo", id, entry };
  const about = { seconds: seconds ?? null, phones: phones ?? null, text: text ?? null, part: part ?? null };
  return { type: "action.ask", id, action, turn, ...about, team: team ?? null, voter_code: voter_code ?? null, hands: hands ?? null };
}

/** The text after a command has succeeded. */
function doneText({ action, entry, seconds }: ActionOffer): string {
  if (entry) return t("Undone.");
  if (action === "turn.extra_time" && !seconds) return t("Normal time from the next turn on.");
  return ACTIONS[action].done(formatSpan(seconds ?? 0));
}
