import { useStore } from "../live/store";
import type { Desk } from "./desk";
import type { ExtraTime } from "./extra";
import type { Offers } from "./offers";
import { Press } from "./Press";

interface Props {
  offers: Offers;
  desk: Desk;
  off: boolean;
}

/** The one next action, what came of the last press, and everything else within reach. */
export function Controls({ offers, desk, off }: Props) {
  return (
    <>
      <div class="first" data-alone={offers.beside === null}>
        <Press offer={offers.main} desk={desk} off={off} size="huge" />
        {offers.beside && <Press offer={offers.beside} desk={desk} off={off} size="tall" />}
      </div>
      <Said desk={desk} />
      <div class="rest">{offers.rest.map((offer) => <Press key={offer.action + offer.shortcut} offer={offer} desk={desk} off={off} />)}</div>
    </>
  );
}

function Said({ desk }: { desk: Desk }) {
  const { said } = useStore(desk.store);
  return <p class="said" role="status" data-trouble={said?.trouble ?? false}>{said?.text ?? ""}</p>;
}

/** For those who need more time to read or to reach: every turn lasts longer, until it is switched off. */
export function LongerTurns({ extra, off }: { extra: ExtraTime; off: boolean }) {
  const { on } = useStore(extra.store);
  return (
    <button type="button" class="switch" role="switch" aria-checked={on} disabled={off} onClick={() => extra.set({ on: !on })}>
      <span>30 s more in every turn</span>
    </button>
  );
}
