import { t } from "../../live/i18n";
import type { Action } from "../../actions";
import { hostStep, isAllowedByClocks, isEventOver, voidableTurn } from "../../availability";
import type { EventState } from "../../protocol";
import type { ScreenPhase } from "../scene/scene";

/** The command behind a presenter's key. `confirm`: the prompt before the second press; empty to send at once. */
export interface PresenterAction {
  action: Action;
  turn: number | null;
  seconds: number | null;
  confirm: string;
}

export type PresenterCommand = "next" | "pause" | "extend" | "close" | "undo" | "lock";

/** The command for a key at the server's time `now`, or a text that says why there is none. */
export function presenterAction(command: PresenterCommand, state: EventState, phase: ScreenPhase, now: number): PresenterAction | string {
  const chosen = COMMANDS[command](state, phase, now);
  if (typeof chosen === "string" || isAllowedByClocks(chosen.action, state.match)) return chosen;
  return t("This match runs on the players' clocks. Its turns can't be controlled here.");
}

const COMMANDS: Record<PresenterCommand, (state: EventState, phase: ScreenPhase, now: number) => PresenterAction | string> = { next, pause, extend, close, undo, lock };

const NOTHING_TO_PRESS: Partial<Record<ScreenPhase, string>> = {
  talk: t("The vote opens automatically"),
  sealed: t("The votes are being counted"),
  reveal: t("The next turn opens automatically"),
};

function next(state: EventState, phase: ScreenPhase, now: number): PresenterAction | string {
  const { match, lobby } = state;
  if (match?.state === "playing") {
    if (match.turn?.paused) return pause(state, phase);
    const step = hostStep(state, phase);
    if (step) return makeAction(step, { turn: match.turn!.id });
    return NOTHING_TO_PRESS[phase] ?? close(state, phase);
  }
  if (phase === "reveal") return t("The last reveal is still running");
  if (lobby === "closed") return makeAction("lobby.open");
  if (isEventOver(state, now)) return t("The event is over. Change its schedule to go on.");
  return makeAction("match.start", { confirm: match ? t("Press again to start the next match") : t("Press again to start the match") });
}

function pause({ match }: EventState, phase: ScreenPhase): PresenterAction | string {
  const turn = match?.turn;
  if (!turn || phase === "sealed") return t("Nothing to pause");
  return makeAction(turn.paused ? "turn.resume" : "turn.pause", { turn: turn.id });
}

function extend({ match }: EventState, phase: ScreenPhase): PresenterAction | string {
  const turn = match?.turn;
  if (!turn || phase === "sealed") return t("No vote is open");
  return makeAction("turn.extend", { turn: turn.id, seconds: stretch(match.window_s) });
}

/** How many seconds a key adds, by the length of the window. */
function stretch(windowS: number): number {
  if (windowS > 43_200) return 3600;
  return windowS > 600 ? 600 : 10;
}

function close({ match }: EventState, phase: ScreenPhase): PresenterAction | string {
  const turn = match?.turn;
  if (!turn || (phase !== "voting" && phase !== "paused")) return t("No vote is open");
  return makeAction("turn.close", { turn: turn.id, confirm: t("Press again to close the vote now") });
}

function undo(state: EventState, _phase: ScreenPhase, now: number): PresenterAction | string {
  const last = voidableTurn(state, now);
  if (!last) return t("There is no turn to take back");
  return makeAction("turn.void", { turn: last.turn, confirm: t("Press again to take back turn %(turn)s", { turn: last.number }) });
}

function lock({ lobby }: EventState): PresenterAction | string {
  if (lobby === "closed") return t("The lobby is not open yet");
  return makeAction(lobby === "locked" ? "joining.unlock" : "joining.lock");
}

function makeAction(action: Action, rest: Partial<PresenterAction> = {}): PresenterAction {
  return { action, turn: null, seconds: null, confirm: "", ...rest };
}
