import { t } from "../live/i18n";
import { CloseCode } from "../protocol";

/** Shown before the first message from the server. */
export function LoadingScreen({ lost }: { lost: boolean }) {
  return (
    <main class="closed">
      <h1>{lost ? t("No connection") : t("Opening the console")}</h1>
      <p role="status">{lost ? t("Reconnecting.") : ""}</p>
    </main>
  );
}

/** Shown after the server has closed the connection for good: the reason and what to do. */
export function ClosedScreen({ close, code }: { close: number; code: string }) {
  const isForeign = close === CloseCode.NOT_ALLOWED;
  return (
    <main class="closed">
      <h1>{title(close, code)}</h1>
      <p>{isForeign ? t("You're logged out or logged in as someone else.") : t("Check the code, or reload the page.")}</p>
      <p>
        {isForeign && <a class="action-button tall" href={`/console/login/?next=/console/${code}/`}>{t("Log in")}</a>}
        <a class="action-button tall" href="/console/">{t("My events")}</a>
      </p>
    </main>
  );
}

function title(close: number, code: string): string {
  if (close === CloseCode.NOT_ALLOWED) return t("You don't have access to this event");
  return close === CloseCode.NO_SUCH_EVENT ? t("There is no event %(code)s", { code }) : t("The console was closed");
}
