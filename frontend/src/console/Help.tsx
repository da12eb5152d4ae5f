import { useEffect, useState } from "preact/hooks";
import type { OrganizerCommands } from "./actions/commands";
import { SHORTCUTS, offerForKey, listenForKeys } from "./shortcuts";
import type { ActionOffers } from "./actions/offers";

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
    <div class="help" role="dialog" aria-label="Keyboard shortcuts">
      <h2>Keyboard shortcuts</h2>
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
