import { useStore } from "../live/store";
import type { EventState } from "../protocol";
import type { Desk } from "./desk";
import { paceOffers, type Offers } from "./offers";
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

/** One press gives it, another takes it away. */
export function Pace({ event, desk, off }: { event: EventState; desk: Desk; off: boolean }) {
  const offers = paceOffers(event);
  if (offers.length === 0) return null;
  return (
    <div class="pace" role="group" aria-label="More time in every turn">
      <p>More time in every turn</p>
      {offers.map((offer) => <Press key={offer.label} offer={offer} desk={desk} off={off} on={offer.seconds === undefined} />)}
    </div>
  );
}
