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
  /** A switch, and whether what it switches is on. */
  on?: boolean;
  /** The form it lies in sends it. */
  submits?: boolean;
}

export function Press({ offer, desk, off, size = "small", on, submits = false }: Props) {
  const { waiting, armed } = useStore(desk.store);
  const [busy, sure] = [waiting.has(nameOf(offer)), armed === nameOf(offer)];
  return (
    <button
      type={submits ? "submit" : "button"}
      class={on === undefined ? `press ${size}` : "switch"}
      role={on === undefined ? undefined : "switch"}
      aria-checked={on}
      data-action={offer.action}
      data-seconds={offer.seconds}
      data-part={offer.part}
      data-armed={sure}
      aria-busy={busy}
      aria-keyshortcuts={offer.shortcut.replace(" ", "+") || undefined}
      disabled={off || busy || !offer.enabled}
      onClick={submits ? undefined : () => desk.press(offer)}
    >
      <span>{sure ? offer.sure : offer.label}</span>
      {offer.shortcut && <kbd aria-hidden="true">{offer.shortcut}</kbd>}
    </button>
  );
}
