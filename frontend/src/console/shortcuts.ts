import { ACTIONS } from "../actions";
import type { ActionOffer, ActionOffers } from "./actions/offers";

/** Each key with its description. */
export const SHORTCUTS = new Map([...Object.values(ACTIONS).flatMap(({ keys }) => Object.entries(keys)), ["?", "Show or hide this list"]]);

/** Calls back with each key pressed on its own, as written on the buttons: "P", "Shift E", "?". Returns how to stop. */
export function listenForKeys(pressed: (key: string) => void): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) return;
    const pressedKey = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    pressed(event.shiftKey && /^[A-Z]$/.test(pressedKey) ? `Shift ${pressedKey}` : pressedKey);
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}

export function offerForKey(key: string, { main, beside, rest }: ActionOffers): ActionOffer | undefined {
  const all = [main, ...(beside ? [beside] : []), ...rest];
  return all.find(({ shortcut }) => shortcut === key);
}
