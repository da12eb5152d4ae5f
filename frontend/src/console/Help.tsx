import { useEffect, useState } from "preact/hooks";
import type { Desk } from "./desk";
import { KEYS, offerFor, onKeys } from "./keys";
import type { Offers } from "./offers";

/** Each key presses its button. Says whether the list of keys is shown. */
export function useKeys(desk: Desk, offers: Offers, off: boolean): boolean {
  const [help, setHelp] = useState(false);
  useEffect(() =>
    onKeys((key) => {
      if (key === "?") setHelp((shown) => !shown);
      if (key === "Escape") setHelp(false);
      const offer = off ? undefined : offerFor(key, offers);
      if (offer) desk.press(offer);
    }),
  );
  return help;
}

/** What the keys do. */
export function Help() {
  return (
    <div class="help" role="dialog" aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt><kbd>{key}</kbd></dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
