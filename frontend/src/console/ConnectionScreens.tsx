import { CloseCode } from "../protocol";

/** Shown before the first message from the server. */
export function LoadingScreen({ lost }: { lost: boolean }) {
  return (
    <main class="closed">
      <h1>{lost ? "No connection" : "Opening the console"}</h1>
      <p role="status">{lost ? "Reconnecting." : ""}</p>
    </main>
  );
}

/** Shown after the server has closed the connection for good: the reason and what to do. */
export function ClosedScreen({ close, code }: { close: number; code: string }) {
  const isForeign = close === CloseCode.NOT_ALLOWED;
  return (
    <main class="closed">
      <h1>{isForeign ? "You don't have access to this event" : close === CloseCode.NO_SUCH_EVENT ? `There is no event ${code}` : "The console was closed"}</h1>
      <p>{isForeign ? "You're logged out or logged in as someone else." : "Check the code, or reload the page."}</p>
      <p>
        {isForeign && <a class="action-button tall" href={`/console/login/?next=/console/${code}/`}>Log in</a>}
        <a class="action-button tall" href="/console/">My events</a>
      </p>
    </main>
  );
}
