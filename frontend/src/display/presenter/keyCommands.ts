import type { PresenterCommand } from "./presenterActions";

export type KeyCommand = PresenterCommand | "blank" | "full" | "sound" | "hints" | "away";

/** Key names of keyboards and presentation remotes. A remote sends Page Down for "next" and a period for "blank". */
const COMMANDS: Record<string, KeyCommand> = {
  " ": "next",
  PageDown: "next",
  P: "pause",
  E: "extend",
  C: "close",
  U: "undo",
  L: "lock",
  B: "blank",
  ".": "blank",
  F: "full",
  M: "sound",
  "?": "hints",
  Escape: "away",
};

export const KEY_HINTS: readonly (readonly [key: string, what: string])[] = [
  ["Space", "Next step"],
  ["P", "Pause or resume"],
  ["E", "More time"],
  ["C", "Close the vote"],
  ["U", "Take back a turn"],
  ["L", "Lock joining"],
  ["B", "Blank screen"],
  ["F", "Full screen"],
  ["M", "Sound"],
  ["?", "Show keys"],
];

/** Query parameters of the projector's address. */
export const URL_OPTIONS: readonly (readonly [query: string, what: string])[] = [
  ["?home=red", "or yellow: a team's own screen"],
  ["?side=back", "The board from behind"],
];

export function keyCommand(key: string): KeyCommand | null {
  return COMMANDS[key.length === 1 ? key.toUpperCase() : key] ?? null;
}

/** Calls back with each command; a key held down counts once. */
export function listenForCommands(give: (command: KeyCommand) => void): void {
  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const command = keyCommand(event.key);
    if (!command) return;
    event.preventDefault();
    give(command);
  });
}
