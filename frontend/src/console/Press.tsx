import { useStore } from "../live/store";
import type { Desk } from "./desk";
import { nameOf } from "./desk";
import type { Offer } from "./offers";

interface Props {
  offer: Offer;
  desk: Desk;
  /** No connection: nothing can be asked. */
  off: boolean;
  size?: "huge" | "tall" | "small";
}

export function Press({ offer, desk, off, size = "small" }: Props) {
  const { waiting, armed } = useStore(desk.store);
  const [busy, sure] = [waiting.has(nameOf(offer)), armed === nameOf(offer)];
  return (
    <button
      type="button"
      class={`press ${size}`}
      data-action={offer.action}
      data-seconds={offer.seconds}
      data-armed={sure}
      aria-busy={busy}
      aria-keyshortcuts={offer.shortcut.replace(" ", "+") || undefined}
      disabled={off || busy || !offer.enabled}
      onClick={() => desk.press(offer)}
    >
      <span>{sure ? offer.sure : offer.label}</span>
      {offer.shortcut && <kbd aria-hidden="true">{offer.shortcut}</kbd>}
    </button>
  );
}
