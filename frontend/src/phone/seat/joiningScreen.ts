import type { Connection } from "../../live/connection/connect";
import { html, type Html } from "../dom";
import { token } from "../play/shape";
import * as say from "../texts";

// Shown until the phone has its seat, and parts shared by all screens.

export const ballPair = (waits = "") => html`<div class="pair ${waits}">${token("ball-red")}${token("ball-yellow")}</div>`;

/** A page in a new tab, so that this one keeps its connection. */
export const tabLink = (path: string, label: string) => html`<a href="/${path}" target="_blank">${label}</a>`;

export const privacyLink = tabLink("privacy", say.kept);

/**
 * The reconnect banner (offline, disconnected, connection lost): says that the phone reconnects automatically. The
 * style sheet delays it, so that a short loss shows nothing.
 */
export function connectionHint(connection?: Connection): Html | false {
  const state = connection?.state;
  const text = state === "crowded" ? say.manyPeople : state === "lost" ? say.reconnecting : "";
  return !!text && html`<p class="hint" role="status">${text}</p>`;
}

/** The loading screen: connecting, or waiting to be admitted. */
export function joiningScreen(connection: Connection | undefined, code: string | null): Html {
  const crowded = connection?.state === "crowded";
  return html`<main data-status="idle" class="notice">
    ${ballPair("waits")}
    <h1>${crowded ? say.manyPeople : say.goingIn}</h1>
    <p role="status">${crowded ? say.yourTurn : code}</p>
    ${!crowded && connectionHint(connection)}
  </main>`;
}
