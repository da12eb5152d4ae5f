import { p, t } from "../../live/i18n";
import type { PresenterCommand } from "./presenterActions";

export type KeyCommand = PresenterCommand | "blank" | "full" | "sound" | "hints" | "away";

/**
 * Key names of keyboards and presentation remotes, and what the list of shortcuts says. A remote sends Page Down for
 * "next" and a period for "blank".
 */
const KEYS: readonly (readonly [command: KeyCommand, keys: readonly string[], name: string, what: string])[] = [
  ["next", [" ", "PageDown"], p("key", "Space"), t("Next step")],
  ["pause", ["P"], "P", t("Pause or resume")],
  ["extend", ["E"], "E", t("More time")],
  ["close", ["C"], "C", t("Close the vote")],
  ["undo", ["U"], "U", t("Take back a turn")],
  ["lock", ["L"], "L", t("Lock joining")],
  ["blank", ["B", "."], "B", t("Blank screen")],
  ["full", ["F"], "F", t("Full screen")],
  ["sound", ["M"], "M", p("shortcut", "Sound")],
  ["hints", ["?"], "?", t("Show keys")],
];

export const KEY_HINTS = KEYS.map(([, , name, what]) => [name, what] as const);

/** Query parameters of the projector's address. */
export const URL_OPTIONS: readonly (readonly [query: string, what: string])[] = [
  ["?home=red", t("or yellow: a team's own screen")],
  ["?side=back", t("The board from behind")],
];

export function keyCommand(key: string): KeyCommand | null {
  if (key === "Escape") return "away";
  return KEYS.find(([, keys]) => keys.includes(key.length === 1 ? key.toUpperCase() : key))?.[0] ?? null;
}

/** Calls back with each command; a key held down counts once. */
export function listenForCommands(give: (command: KeyCommand) => void): void {
  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const command = keyCommand(event.key);
    if (!command || pressesButton(event)) return;
    event.preventDefault();
    give(command);
  });
}

/** The space bar presses the button that has the focus. */
function pressesButton({ key, target }: KeyboardEvent): boolean {
  return key === " " && target instanceof HTMLButtonElement;
}
