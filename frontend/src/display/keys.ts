import type { Wish } from "./orders";

export type Command = Wish | "blank" | "full" | "sound" | "hints" | "away";

/** As a keyboard says them, and a clicker: it has page down for on and a point for dark. */
const COMMANDS: Record<string, Command> = {
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

export const HINTS: readonly (readonly [key: string, what: string])[] = [
  ["Space", "Next step"],
  ["P", "Pause, resume"],
  ["E", "More time"],
  ["C", "Close the vote"],
  ["U", "Take back a turn"],
  ["L", "Lock joining"],
  ["B", "Blank screen"],
  ["F", "Full screen"],
  ["M", "Sound"],
  ["?", "These keys"],
];

/** What may follow a projector's address. */
export const LOOKS: readonly (readonly [query: string, what: string])[] = [
  ["?home=red", "or yellow: a team's own screen"],
  ["?side=back", "The board from behind"],
];

export function commandOf(key: string): Command | null {
  return COMMANDS[key.length === 1 ? key.toUpperCase() : key] ?? null;
}

/** Calls back with each command; a key held down is one press. */
export function onKeys(give: (command: Command) => void): void {
  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const command = commandOf(event.key);
    if (!command) return;
    event.preventDefault();
    give(command);
  });
}
