import { t } from "../live/i18n";
import { useEffect, useState } from "preact/hooks";
import type { OrganizerCommands } from "./actions/commands";
import { ACTIONS } from "../actions";
import { keyName } from "./labels";
import type { ActionOffer, ActionOffers } from "./actions/offers";

/** Each key with its description. */
const SHORTCUTS = new Map([...Object.values(ACTIONS).flatMap(({ keys }) => Object.entries(keys)), ["?", t("Show or hide this list")]]);

/** Map each key to its action. Returns whether the list of shortcuts is shown. */
export function useShortcuts(commands: OrganizerCommands, offers: ActionOffers, off: boolean): boolean {
  const [help, setHelp] = useState(false);
  useEffect(() =>
    listenForKeys((key) => {
      if (key === "?") setHelp((shown) => !shown);
      if (key === "Escape") setHelp(false);
      const offer = off ? undefined : offerForKey(key, offers);
      if (offer) commands.press(offer);
      return !!offer;
    }),
  );
  return help;
}

/** The list of keyboard shortcuts. */
export function Help() {
  return (
    <div class="help" role="dialog" aria-label={t("Keyboard shortcuts")}>
      <h2>{t("Keyboard shortcuts")}</h2>
      <dl>
        {[...SHORTCUTS].map(([key, what]) => (
          <div key={key}>
            <dt><kbd>{keyName(key)}</kbd></dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The keys that take the next step: the space bar, and the "next" button of a clicker. */
const NEXT_STEP_KEYS = [" ", "PageDown"];

/**
 * Calls back with each key pressed on its own, as in the actions: "P", "Shift E", "?", "Space". `pressed` tells whether
 * the key did something: then it doesn't scroll. Returns how to stop.
 */
function listenForKeys(pressed: (key: string) => boolean): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isForElement(event)) return;
    const pressedKey = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    const key = NEXT_STEP_KEYS.includes(pressedKey) ? "Space" : pressedKey;
    if (pressed(event.shiftKey && /^[A-Z]$/.test(key) ? `Shift ${key}` : key)) event.preventDefault();
  };
  addEventListener("keydown", listen);
  addEventListener("click", dropFocus);
  return () => {
    removeEventListener("keydown", listen);
    removeEventListener("click", dropFocus);
  };
}

/** After a click with a pointer the button loses the focus, so that the space bar takes the next step. */
function dropFocus({ detail, target }: MouseEvent): void {
  if (detail > 0 && target instanceof Element) target.closest<HTMLElement>("button, summary")?.blur();
}

/** Whether the element that has the focus takes the key: a field, or the space bar for a button. */
function isForElement({ key, target }: KeyboardEvent): boolean {
  const taking = key === " " ? "input, textarea, select, button, summary" : "input, textarea, select";
  return target instanceof Element && target.closest(taking) !== null;
}

function offerForKey(key: string, { main, rest }: ActionOffers): ActionOffer | undefined {
  return [...main, ...rest].find(({ shortcut }) => shortcut === key);
}
