import { Component, type ComponentChildren } from "preact";
import type { Connection } from "../live/connection/connect";
import { p, t } from "../live/i18n";
import { useStageSize } from "./scene/stageView";

const NO_SUCH_EVENT = 4502;
const NOT_ALLOWED = 4504;

/** The reconnect banner: the picture stays visible, with a discreet hint that it is not updated. */
export function ReconnectingBanner() {
  return <p class="reconnecting" role="status">{t("Reconnecting")}</p>;
}

/** The loading screen: shown before the first state arrives, or if it never will. */
export function WaitingScreen({ code, connection }: { code: string; connection: Connection }) {
  useStageSize();
  const away = connection.state === "away";
  document.body.dataset.phase = away ? "unknown" : "lost";
  return (
    <main class="waiting" aria-live="polite">
      <p>{away ? refusal(connection.code) : p("above the code of an event", "Connecting to")}</p>
      <h1>{code}</h1>
      {away && <p class="hint">{connection.code === NOT_ALLOWED ? t("Open this screen from the console") : t("Check the address and reload this page")}</p>}
    </main>
  );
}

function refusal(closeCode: number): string {
  return closeCode === NO_SUCH_EVENT ? t("There is no event with this code") : t("This screen can't join");
}

const LOADS_AGAIN_MS = 3000;

/** After a rendering error the page reloads itself, so that the screen does not stay blank. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { broken: boolean }> {
  override componentDidCatch(fault: unknown) {
    console.error(fault);
    this.setState({ broken: true });
    window.setTimeout(() => location.reload(), LOADS_AGAIN_MS);
  }

  override render() {
    return this.state.broken ? <main class="waiting"><p>{t("One moment")}</p></main> : this.props.children;
  }
}
