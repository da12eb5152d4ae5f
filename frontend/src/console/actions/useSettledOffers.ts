import { useEffect, useState } from "preact/hooks";
import type { ActionOffers } from "./offers";

/** A press within this time after a main action has changed was meant for the action before. */
const SETTLE_MS = 600;

/** The offers, with those main actions marked that have just taken their place. */
export function useSettledOffers(offers: ActionOffers): ActionOffers {
  const places = offers.main.map(({ action }) => action).join(" ");
  const [settled, settle] = useState(places);
  useEffect(() => {
    const timer = setTimeout(() => settle(places), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [places]);
  const before = settled.split(" ");
  const main = offers.main.map((offer, place) => (before[place] === offer.action ? offer : { ...offer, changing: true }));
  return { ...offers, main };
}
