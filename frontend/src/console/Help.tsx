import { t } from "../live/i18n";
import { useEffect, useState } from "preact/hooks";
import type { OrganizerCommands } from "./actions/commands";
import { ACTIONS } from "../actions";
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
            <dt><kbd>{key}</kbd></dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Calls back with each key pressed on its own, as written on the buttons: "P", "Shift E", "?". Returns how to stop. */
function listenForKeys(pressed: (key: string) => void): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement) return;
    const pressedKey = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    pressed(event.shiftKey && /^[A-Z]$/.test(pressedKey) ? `Shift ${pressedKey}` : pressedKey);
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}

function offerForKey(key: string, { main, rest }: ActionOffers): ActionOffer | undefined {
  return [...main, ...rest].find(({ shortcut }) => shortcut === key);
}
