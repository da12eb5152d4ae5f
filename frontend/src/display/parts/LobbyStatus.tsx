import { t } from "../../live/i18n";
import type { EventState } from "../../protocol";
import { isPartHidden } from "../scene/places";

/** The event's name and whether joining is open, in place of the QR code. */
export function LobbyStatus({ state }: { state: EventState }) {
  return (
    <div class="lobby-status">
      <h1>{state.name}</h1>
      <p>{LOBBY_TEXTS[state.lobby]}</p>
    </div>
  );
}

const LOBBY_TEXTS: Record<EventState["lobby"], string> = { open: t("Joining is open"), locked: t("Joining is closed"), closed: t("Joining opens soon") };

export function showsCode(state: EventState): boolean {
  return state.lobby === "open" && (state.is_duel || !isPartHidden(state, "code"));
}
