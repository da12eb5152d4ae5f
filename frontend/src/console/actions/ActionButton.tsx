import { useStore } from "../../live/state/useStore";
import { keyName } from "../labels";
import { buttonId, type OrganizerCommands } from "./commands";
import type { ActionOffer } from "./offers";

export interface CommandProps {
  commands: OrganizerCommands;
  /** All buttons are disabled, because there is no connection. */
  off: boolean;
}

interface Props extends CommandProps {
  offer: ActionOffer;
  size?: "huge" | "tall" | "small";
  /** For a toggle button: whether it is on. */
  on?: boolean;
  /** Submits the surrounding form. */
  submits?: boolean;
}

export function ActionButton({ offer, commands, off, size = "small", on, submits = false }: Props) {
  const { waiting, armed } = useStore(commands.store);
  const [busy, confirm] = [waiting.has(buttonId(offer)), !!offer.confirm && armed === buttonId(offer)];
  return (
    <button
      type={submits ? "submit" : "button"}
      class={on === undefined ? `action-button ${size}` : "switch"}
      role={on === undefined ? undefined : "switch"}
      aria-checked={on}
      data-action={offer.action}
      data-seconds={offer.seconds}
      data-part={offer.part}
      data-armed={confirm}
      aria-busy={busy}
      aria-keyshortcuts={offer.shortcut.replace(" ", "+") || undefined}
      title={offer.help}
      disabled={off || busy || !offer.enabled}
      aria-disabled={offer.changing}
      onClick={submits ? undefined : () => commands.press(offer)}
    >
      <span>{confirm ? offer.confirm : offer.label}</span>
      {offer.shortcut && <kbd aria-hidden="true">{keyName(offer.shortcut)}</kbd>}
    </button>
  );
}
